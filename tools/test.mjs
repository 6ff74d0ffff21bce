// npm test: installs what is missing, checks types, style and format, and runs all tests. Arguments go to jest, and then
// only the tests run: npm test -- --selectProjects small. Plain JavaScript without packages. Without a browser that is there
// or can be installed the tests in it are left out, loudly; REQUIRE_BROWSER=1 makes a failure of that.
import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { build, install, passOnEnd, requireNode, root, run } from './bootstrap.mjs';
import { provideChromium } from './test/chromium.mjs';

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

// One after the other, beside the tests, with the time that these leave: they wait for servers a fifth of theirs
const checks = [
  ['types', [bin('typescript/bin/tsc'), '-p', 'tsconfig.json']],
  ['lint', [bin('eslint/bin/eslint.js'), '.']],
  ['format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.']],
];
// One more than there are cores: many tests wait for a server to end or to come back
const tests = ['tests', jest(`--maxWorkers=${availableParallelism() + 1}`, '--selectProjects', 'small', 'medium')];
// Two at a time, however many cores there are: they share a stack. Some of them are alone on it (jest.config.js)
const e2eTests = ['e2e tests', jest('--maxWorkers=2', '--selectProjects', 'e2e')];
// Beside them: what is killed here takes its time to come back
const faults = ['faults', jest('--runInBand', '--selectProjects', 'faults')];

/** All are run although one fails, so that one run tells everything. Who names some tests wants their result only. */
const isWhole = filters.length === 0;
const phases = isWhole ? [[tests], [e2eTests, faults]] : [[['tests', jest()]]];

const saidAside = [];
let askedToEnd = false;

/** Runs what nobody waits for yet, and keeps what it says for the end: nobody would find it among what the tests say. */
function runAside(command, parameters) {
  const child = spawn(command, parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const leaveOff = passOnEnd(child);
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The tests are slower then
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => saidAside.push(bytes));
  return new Promise((resolve) => {
    const end = (code) => {
      askedToEnd = leaveOff() || askedToEnd;
      resolve(code ?? 1);
    };
    child.once('error', (error) => {
      saidAside.push(Buffer.from(`${error.message}\n`));
      end(1);
    });
    child.once('close', end);
  });
}

/** Tells how something ended, and after how long. */
async function outcome([name, parameters], how = run) {
  const since = Date.now();
  const code = await how(process.execPath, parameters);
  return { name, code, seconds: ((Date.now() - since) / 1000).toFixed(1) };
}

async function runChecks() {
  const results = [];
  for (const check of isWhole ? checks : []) {
    results.push(await outcome(check, runAside));
    // Not the process: jest may still be ending
    if (askedToEnd) break;
  }
  return results;
}

/** Whether tests that need a browser are among those that were asked for. */
const usesBrowser = filters.length === 0 || filters.some((filter) => filter.includes('e2e'));

requireNode();
await install();
await build();
// Beside the other tests: the e2e tests, which need it, are the last
const browser = usesBrowser ? provideChromium() : undefined;
const checked = runChecks();
const results = [];
for (const phase of phases) {
  if (phase === phases.at(-1)) await browser;
  console.log(`\n== ${phase.map(([name]) => name).join(', ')}`);
  results.push(...(await Promise.all(phase.map((tested) => outcome(tested)))));
}
if (isWhole) console.log(`\n== ${checks.map(([name]) => name).join(', ')}`);
results.unshift(...(await checked));
if (askedToEnd) process.exit(130);
process.stdout.write(Buffer.concat(saidAside));

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
