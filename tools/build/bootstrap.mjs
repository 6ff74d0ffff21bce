// First steps of `npm start` and `npm test`: checks Node.js, installs packages and compiles. Plain
// JavaScript without packages, because none are installed yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './sources.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const minimumNodeVersion = [20, 19];

/**
 * Returns whether a version (`20.20.2`) is at least 20.19.
 * @param {string} version
 */
export function isUsableNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minimumNodeVersion[0] || (major === minimumNodeVersion[0] && minor >= minimumNodeVersion[1]);
}

export function requireNode() {
  if (isUsableNode(process.versions.node)) return;
  console.error(`Node ${minimumNodeVersion.join('.')} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * Returns one hash of the inputs of a step, which is repeated when the hash changes.
 * @param {readonly string[]} parts
 */
export const stampOf = (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * Returns whether the last run stored the same stamp.
 * @param {string} file
 * @param {string} stamp
 */
export const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stamp);
}

/**
 * Forwards termination signals to a child process. npm sends SIGTERM only to the shell between
 * itself and this process, and both exit. Below npm, the exit of the parent process is therefore
 * treated as SIGTERM.
 * @param {import('node:child_process').ChildProcess} child
 * @param {boolean} ownSession whether the child has its own session and does not receive Ctrl-C
 * @returns {() => boolean} stops forwarding and returns whether a signal was received
 */
export function forwardSignals(child, ownSession = false) {
  let wasSignaled = false;
  const pass = (signal) => {
    wasSignaled = true;
    if (ownSession || signal !== 'SIGINT') child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, pass);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    pass('SIGTERM');
  }, 200);
  watch.unref();
  if (!process.env.npm_lifecycle_event) clearInterval(watch);
  return () => {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, pass);
    return wasSignaled;
  };
}

/**
 * Runs a command on the terminal of this process. Resolves with its exit code, or 1 if it was
 * killed by a signal or could not be started. Exits if this process received a termination signal
 * during the run.
 * @param {string} command
 * @param {readonly string[]} parameters
 * @returns {Promise<number>}
 */
export function run(command, parameters) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: 'inherit' });
    const stopForwarding = forwardSignals(child);
    child.once('error', (error) => {
      stopForwarding();
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code) => {
      if (stopForwarding()) process.exit(130);
      resolve(code ?? 1);
    });
  });
}

/** @param {readonly string[]} parameters */
const npm = (...parameters) =>
  process.env.npm_execpath
    ? run(process.execPath, [process.env.npm_execpath, ...parameters])
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', parameters);

const read = (...parts) => {
  const file = join(root, ...parts);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
function packagesStamp() {
  const { dependencies, devDependencies, overrides } = JSON.parse(read('package.json'));
  return stampOf([
    process.version,
    JSON.stringify({ dependencies, devDependencies, overrides }),
    read('package-lock.json'),
  ]);
}

/**
 * Installs packages if they are missing, or if the version of Node.js, the dependencies or the lock
 * file have changed since the last run.
 */
export async function install() {
  const file = join(root, 'node_modules', '.storefront-stamp');
  if (isStamped(file, packagesStamp())) return;
  console.error('Installing packages (the first time takes a minute) ...');
  if ((await npm('install', '--no-audit', '--no-fund', '--loglevel=error')) !== 0) {
    console.error('The packages could not be installed; npm has printed the reason above.');
    process.exit(1);
  }
  // After the installation, because npm may change the lock file
  writeStamp(file, packagesStamp());
}

/** Returns a stamp of every input file of the build, by size and time of modification. */
function buildStamp() {
  const others = ['package.json', '.swcrc', 'tools/compile.mjs', 'tools/bundle.mjs'].map((name) => join(root, name));
  return stampOf(
    [...sourceFiles(), ...others].map((path) => {
      const { mtimeMs, size } = statSync(path);
      return `${relative(root, path)} ${mtimeMs} ${size}`;
    }),
  );
}

/**
 * Compiles into `dist` if a source has changed since the last run. The compilers run in child
 * processes, because they occupy 1 GB until their process exits.
 */
export async function build() {
  const file = join(root, 'dist', '.storefront-stamp');
  const stamp = buildStamp();
  if (isStamped(file, stamp)) return;
  console.error('Compiling ...');
  for (const step of ['compile', 'bundle'])
    if ((await run(process.execPath, [join(root, `tools/${step}.mjs`)])) !== 0) process.exit(1);
  writeStamp(file, stamp);
}
