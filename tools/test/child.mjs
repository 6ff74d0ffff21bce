import { fork } from 'node:child_process';

/**
 * Starts a compiled program that sends one message when it is ready, and exits when its IPC channel
 * closes.
 * @param {string} file
 * @param {string[]} parameters
 * @param {{ environment?: NodeJS.ProcessEnv, output?: number | 'inherit' }} options `output`: file
 *   descriptor of its output
 * @returns {Promise<{ message: Record<string, string>, stop: () => Promise<void> }>}
 */
export function startChild(file, parameters = [], { environment = process.env, output = 'inherit' } = {}) {
  // A separate session: Ctrl-C reaches jest only, and the child cleans up when jest has exited
  const child = fork(file, parameters, {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    env: environment,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} exited with code ${code} before it was ready`)));
    child.once('message', (message) => {
      if (message.failed) return reject(new Error(message.failed));
      // The child must not prevent the exit of jest; it exits when the channel closes
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
