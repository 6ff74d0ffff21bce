// npm run operator: runs an operator command. Without DATABASE_URL, `backup restore` restores into
// DATA_DIR and starts its PostgreSQL, which must not be running.
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const isGiven = ['DATABASE_URL', 'DATABASE_URL_FILE'].some((name) => process.env[name]);
const isIntoDataDir = words[0] === 'backup' && words[1] === 'restore' && words.length > 2 && !isGiven;
process.argv.splice(2, 0, isIntoDataDir ? 'stopped-stack' : 'operator');
await import('./built.mjs');
