// Finds or installs Chromium for the browser tests. Plain JavaScript without packages, as all first
// steps of npm test.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns whether a file is a browser, which can print its version: on Ubuntu the file may only
 * print install instructions.
 */
const runs = (file) => isExecutable(file) && spawnSync(file, ['--version'], { timeout: 20_000 }).status === 0;

/**
 * Returns the path of Chromium: CHROMIUM_PATH, or the first of its usual names on PATH.
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string | undefined} undefined if there is none
 */
export function findChromium({ CHROMIUM_PATH, PATH = '' } = process.env) {
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(runs);
}

/**
 * Returns the path of Chromium for browser tests. Callers skip their tests without one.
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string | undefined} undefined if there is none
 * @throws {Error} with REQUIRE_BROWSER=1, if there is none
 */
export function chromiumForTests(environment = process.env) {
  const path = findChromium(environment);
  if (path === undefined && environment.REQUIRE_BROWSER === '1')
    throw new Error('Chromium was not found, and REQUIRE_BROWSER=1 is set');
  return path;
}

const installTimeoutMs = 240_000;

/**
 * Runs apt-get.
 * @returns {Promise<string>} the output or the reason of a failure; empty if it succeeded
 */
const aptGet = (...parameters) =>
  new Promise((resolve) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=60', ...parameters], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: installTimeoutMs,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? '' : output || 'apt-get did not end in time'));
  });

const isDebianAsRoot = () => process.geteuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;

/**
 * Returns the path of Chromium; installs it with apt-get if that is available and the user is root.
 * @returns {Promise<string | undefined>} undefined if there is none
 */
export async function provideChromium() {
  const found = findChromium();
  if (found || !isDebianAsRoot()) return found;
  console.log('Installing Chromium for the browser tests ...');
  const install = () => aptGet('install', '-y', '--no-install-recommends', 'chromium');
  // A fresh machine has no list of packages yet
  if ((await install()) === '') return findChromium();
  const failure = (await aptGet('update')) || (await install());
  if (failure !== '') console.error(`Chromium could not be installed:\n${failure}`);
  return findChromium();
}
