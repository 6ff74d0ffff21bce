// npm test: installs what is missing, checks types, style and format, and runs all tests. Arguments go to jest, and then
// only the tests run: npm test -- --selectProjects small. Plain JavaScript without packages.
import { join } from 'node:path';
import { build, install, requireNode, root, run } from './bootstrap.mjs';

const bin = (...parts) => join(root, 'node_modules', ...parts);
const filters = process.argv.slice(2);
// --forceExit: a handle that a test left open must not keep a build server waiting for ever
const jest = (...more) => [
  '--experimental-vm-modules',
  '--no-warnings',
  bin('jest/bin/jest.js'),
  '--forceExit',
  ...more,
  ...filters,
];

// Together: each keeps one core busy
const checks = [
  ['types', [bin('typescript/bin/tsc'), '-p', 'tsconfig.json']],
  ['lint', [bin('eslint/bin/eslint.js'), '.']],
  ['format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.']],
];
const tests = [
  // jest leaves one core free, which on two is half
  ['tests', jest('--maxWorkers=100%', '--selectProjects', 'small', 'medium')],
  // One after the other: they share a stack, and some look at all that it keeps
  ['e2e tests', jest('--runInBand', '--selectProjects', 'e2e')],
];

/** All are run although one fails, so that one run tells everything. Who names some tests wants their result only. */
const phases = filters.length === 0 ? [checks, ...tests.map((each) => [each])] : [[['tests', jest()]]];

async function check([name, parameters]) {
  const since = Date.now();
  const code = await run(process.execPath, parameters);
  return { name, code, seconds: ((Date.now() - since) / 1000).toFixed(1) };
}

requireNode();
await install();
await build();
const results = [];
for (const phase of phases) {
  console.log(`\n== ${phase.map(([name]) => name).join(', ')}`);
  results.push(...(await Promise.all(phase.map(check))));
}

console.log('');
for (const { name, code, seconds } of results)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
