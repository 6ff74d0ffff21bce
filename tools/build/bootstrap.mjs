// What `npm start` and `npm test` do before anything else. Plain JavaScript without packages: nothing is installed yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './sources.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const oldest = [20, 19];

/**
 * True when a version (`20.20.2`) is at least 20.19.
 * @param {string} version
 */
export function isUsableNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

export function requireNode() {
  if (isUsableNode(process.versions.node)) return;
  console.error(`Node ${oldest.join('.')} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

/**
 * One hash of what decides whether work must be done again.
 * @param {readonly string[]} parts
 */
export const stampOf = (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * True when the stamp that the last run left is the same.
 * @param {string} file
 * @param {string} stamp
 */
export const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

function leaveStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stamp);
}

/**
 * Passes on to a child what asks this process to end. npm passes a SIGTERM only to the shell between itself and this
 * process, and both end: being left alone by it is a request to end, too.
 * @param {import('node:child_process').ChildProcess} child
 * @param {boolean} ownSession whether the child does not hear Ctrl-C by itself
 * @returns {() => boolean} leaves off, and tells whether an end was asked for
 */
export function passOnEnd(child, ownSession = false) {
  let asked = false;
  const pass = (signal) => {
    asked = true;
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
    return asked;
  };
}

/**
 * Runs a command with the terminal of this one. Resolves with its exit code; a signal counts as 1. When this process was
 * asked to end meanwhile, it ends.
 * @param {string} command
 * @param {readonly string[]} parameters
 * @returns {Promise<number>}
 */
export function run(command, parameters) {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, stdio: 'inherit' });
    const leaveOff = passOnEnd(child);
    child.once('error', (error) => {
      leaveOff();
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code) => {
      if (leaveOff()) process.exit(130);
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

/** Installs the packages when they are missing, or when the dependencies or the lock have changed since the last time. */
export async function install() {
  const file = join(root, 'node_modules', '.storefront-stamp');
  if (isStamped(file, packagesStamp())) return;
  console.error('Installing packages (the first time takes a minute) ...');
  if ((await npm('install', '--no-audit', '--no-fund', '--loglevel=error')) !== 0) {
    console.error('The packages could not be installed; npm says why above.');
    process.exit(1);
  }
  // After, not before: npm may write the lock
  leaveStamp(file, packagesStamp());
}

/** Every file that the build reads, with what changes when it is edited. */
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
 * Compiles into `dist` when a source has changed since the last time. In processes of their own: the compilers held 1 GB for as
 * long as the process that loaded them lived.
 */
export async function build() {
  const file = join(root, 'dist', '.storefront-stamp');
  const stamp = buildStamp();
  if (isStamped(file, stamp)) return;
  console.error('Compiling ...');
  for (const step of ['compile', 'bundle'])
    if ((await run(process.execPath, [join(root, `tools/${step}.mjs`)])) !== 0) process.exit(1);
  leaveStamp(file, stamp);
}
