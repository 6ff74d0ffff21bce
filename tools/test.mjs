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

const everything = [
  ['types', [bin('typescript/bin/tsc'), '-p', 'tsconfig.json']],
  ['lint', [bin('eslint/bin/eslint.js'), '.']],
  ['format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.']],
  // jest leaves one core free, which on two is half
  ['tests', jest('--maxWorkers=100%', '--selectProjects', 'small', 'medium')],
  // One after the other: they share a stack, and some look at all that it keeps
  ['e2e tests', jest('--runInBand', '--selectProjects', 'e2e')],
];

/** All are run although one fails, so that one run tells everything. Who names some tests wants their result only. */
const steps = filters.length === 0 ? everything : [['tests', jest()]];

requireNode();
await install();
await build();
const results = [];
for (const [name, parameters] of steps) {
  const since = Date.now();
  console.log(`\n== ${name}`);
  const code = await run(process.execPath, parameters);
  results.push({ name, code, seconds: ((Date.now() - since) / 1000).toFixed(1) });
}

console.log('');
for (const { name, code, seconds } of results)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
