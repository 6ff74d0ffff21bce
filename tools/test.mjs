// npm test: installs what is missing, compiles and runs all tests. Arguments go to jest: npm test -- --selectProjects small.
// Types, style and format are another command, npm run check: together they cost two minutes of one processor, and no test
// depends on them. Plain JavaScript without packages. Without a browser that is there or can be installed the tests in it are
// left out, loudly; REQUIRE_BROWSER=1 makes a failure of that.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build, install, requireNode, root, run } from './build/bootstrap.mjs';
import { provideChromium } from './test/chromium.mjs';

const filters = process.argv.slice(2);
// --forceExit: a handle that a test left open must not keep a build server waiting for ever. Every file loads its packages
// anew: with twice the room for young objects they are copied less often, and all takes 8 % less processor time
const jest = (...more) => [
  '--experimental-vm-modules',
  '--no-warnings',
  '--max-semi-space-size=32',
  join(root, 'node_modules/jest/bin/jest.js'),
  '--forceExit',
  ...more,
  ...filters,
];

// Node.js 20 never frees the modules of a test file, about 30 MB. Workers that grew to 2 GB took a quarter of the processor
// time of all tests to collect garbage; a new worker takes 2 s
const workers = (count) => [`--maxWorkers=${count}`, '--workerIdleMemoryLimit=700MB'];
// Two more than there are cores: many tests wait for a server to end or to come back
const tests = ['tests', jest(...workers(availableParallelism() + 2), '--selectProjects', 'small', 'medium')];
// Two at a time, however many cores there are: they share a stack. Some of them are alone on it (jest.config.js)
const e2eTests = ['e2e tests', jest(...workers(2), '--selectProjects', 'e2e')];
// Beside them: what is killed here takes its time to come back
const faults = ['faults and stacks of their own', jest('--runInBand', '--selectProjects', 'faults', 'own-stack')];

/** All are run although one fails, so that one run tells everything. Who names some tests wants their result only. */
const phases = filters.length === 0 ? [[tests], [e2eTests, faults]] : [[['tests', jest()]]];

const resultFolder = mkdtempSync(join(tmpdir(), 'test-results-'));

/** Runs jest. Returns its exit code, the time that it took and its failures. */
async function outcome([name, parameters]) {
  const file = join(resultFolder, `${name}.json`);
  const since = Date.now();
  const code = await run(process.execPath, [...parameters, '--json', `--outputFile=${file}`]);
  const seconds = ((Date.now() - since) / 1000).toFixed(1);
  return { name, code, seconds, failures: code === 0 ? [] : failuresIn(file) };
}

/** Returns a text for each test file that failed: its path and jest's messages without colors. */
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

/** Whether tests that need a browser are among those that were asked for. */
const usesBrowser = filters.length === 0 || filters.some((filter) => filter.includes('e2e'));

requireNode();
await install();
await build();
// Beside the other tests: the e2e tests, which need it, are the last
const browser = usesBrowser ? provideChromium() : undefined;
const results = [];
for (const phase of phases) {
  if (phase === phases.at(-1)) await browser;
  console.log(`\n== ${phase.map(([name]) => name).join(', ')}`);
  results.push(...(await Promise.all(phase.map(outcome))));
}

rmSync(resultFolder, { recursive: true });
// Again at the end: of a long log a build server may show the end alone
for (const { name, failures } of results) for (const failure of failures) console.log(`\n== ${name}: ${failure}`);
console.log('');
for (const { name, code, seconds } of results)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
if (usesBrowser && !(await browser)) {
  const required = process.env.REQUIRE_BROWSER === '1';
  const advice = 'there is no Chromium. Install it (apt-get install chromium), or say where it is with CHROMIUM_PATH.';
  console.log(`${required ? 'FAILED' : 'LEFT OUT'}  THE BROWSER TESTS: ${advice}`);
  if (required) results.push({ code: 1 });
}
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
