// npm run operator: runs a command of operators. Without DATABASE_URL a backup is restored into DATA_DIR, whose PostgreSQL does
// not run then.
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const isGiven = ['DATABASE_URL', 'DATABASE_URL_FILE'].some((name) => process.env[name]);
const isIntoDataDir = words[0] === 'backup' && words[1] === 'restore' && words.length > 2 && !isGiven;
process.argv.splice(2, 0, isIntoDataDir ? 'stopped-stack' : 'operator');
await import('./built.mjs');
