// npm test: installs packages and compiles, if anything has changed, and runs all tests but those
// of the project scale. Arguments are passed to jest: npm test -- --selectProjects small. Types,
// lint and format are checked by npm run check, which takes two minutes of CPU time. Plain
// JavaScript without packages. Without Chromium the browser tests are skipped with a message; with
// REQUIRE_BROWSER=1 they fail.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build, install, requireNode, root, run } from './build/bootstrap.mjs';
import { provideChromium } from './test/chromium.mjs';

const filters = process.argv.slice(2);
// --forceExit: an open handle of a test must not block a build server. Each test file loads its
// packages again: twice the young generation copies objects less often, for 8 % less CPU time
const jest = (...more) => [
  '--experimental-vm-modules',
  '--no-warnings',
  '--max-semi-space-size=32',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--forceExit',
  ...more,
  ...filters,
];

// Node.js 20 never frees the modules of a test file, about 30 MB. In workers of 2 GB garbage
// collection took a quarter of the CPU time of all tests; a new worker takes 2 s
const workers = (count) => [`--maxWorkers=${count}`, '--workerIdleMemoryLimit=700MB'];
// Two more than cores, because many tests wait for a server to stop or start
const tests = ['tests', jest(...workers(availableParallelism() + 2), '--selectProjects', 'small', 'medium')];
// Two workers on any machine, because they share one stack. Some tests run alone on it
// (jest.config.js)
const e2eTests = ['e2e tests', jest(...workers(2), '--selectProjects', 'e2e')];
// In parallel with the e2e tests: fault tests mostly wait for restarts
const faults = ['faults and separate stacks', jest('--runInBand', '--selectProjects', 'faults', 'own-stack')];

/** All phases run even if one fails. With arguments, jest runs once with the selected tests. */
const phases = filters.length === 0 ? [[tests], [e2eTests, faults]] : [[['tests', jest()]]];

const resultFolder = mkdtempSync(join(tmpdir(), 'test-results-'));

/** Runs jest. Returns its exit code, duration in seconds and failures. */
async function runJest([name, parameters]) {
  const file = join(resultFolder, `${name}.json`);
  const since = Date.now();
  const code = await run(process.execPath, [...parameters, '--json', `--outputFile=${file}`]);
  const seconds = ((Date.now() - since) / 1000).toFixed(1);
  return { name, code, seconds, failures: code === 0 ? [] : failuresIn(file) };
}

/** Returns path and messages, without colors, of each failed test file. */
function failuresIn(file) {
  try {
    const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
    const failed = testResults.filter(({ status }) => status === 'failed');
    return failed.map(
      ({ name, message }) => `${name.slice(root.length + 1)}\n${stripVTControlCharacters(message).trim()}`,
    );
  } catch (error) {
    return [`jest has no results: ${error.message}`];
  }
}

/** Returns whether a selected test file uses a browser. Requires the installed packages. */
function usesBrowser() {
  if (filters.length === 0) return true;
  const { stdout } = spawnSync(process.execPath, jest('--listTests'), { cwd: root, encoding: 'utf8' });
  const files = stdout.split('\n').filter((line) => line.endsWith('.spec.ts'));
  return files.some((file) => /support\/browser\.js|chromiumForTests/.test(readFileSync(file, 'utf8')));
}

requireNode();
await install();
const needsBrowser = usesBrowser();
const [browser] = await Promise.all([needsBrowser && provideChromium(), build()]);
const results = [];
for (const phase of phases) {
  console.log(`\n== ${phase.map(([name]) => name).join(', ')}`);
  results.push(...(await Promise.all(phase.map(runJest))));
}

rmSync(resultFolder, { recursive: true });
// Repeated at the end: a build server may show only the end of a long log
for (const { name, failures } of results) for (const failure of failures) console.log(`\n== ${name}: ${failure}`);
console.log('');
for (const { name, code, seconds } of results)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
if (needsBrowser && !browser) {
  const required = process.env.REQUIRE_BROWSER === '1';
  const advice = 'Chromium was not found. Install it (apt-get install chromium) or set CHROMIUM_PATH.';
  console.log(`${required ? 'FAILED' : 'SKIPPED '}  BROWSER TESTS: ${advice}`);
  if (required) results.push({ code: 1 });
}
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
