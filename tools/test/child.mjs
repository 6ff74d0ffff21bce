import { fork } from 'node:child_process';

/**
 * Starts a compiled program that sends one message when it is ready, and ends when the channel to it closes.
 * @param {string} file
 * @param {string[]} parameters
 * @param {{ environment?: NodeJS.ProcessEnv, output?: number | 'inherit' }} options `output`: the file that gets what it writes
 * @returns {Promise<{ message: Record<string, string>, stop: () => Promise<void> }>}
 */
export function startChild(file, parameters = [], { environment = process.env, output = 'inherit' } = {}) {
  // Its own session: Ctrl-C reaches jest, and the child tidies up when jest has gone
  const child = fork(file, parameters, {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    env: environment,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with code ${code} before it was ready`)));
    child.once('message', (message) => {
      if (message.failed) return reject(new Error(message.failed));
      // The test run may end although the child lives: closing the channel is what ends it
      child.unref();
      child.channel?.unref();
      resolve({
        message,
        stop: async () => {
          child.ref();
          if (child.connected) child.disconnect();
          await ended;
        },
      });
    });
  });
}
