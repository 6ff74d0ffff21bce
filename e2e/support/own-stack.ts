import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#dev-stack';
import { programFile } from '../../tools/dev-stack/apps/apps.js';

export interface OwnStack {
  readonly origin: string;
  /** Personal API key of the user demo. */
  readonly apiKey: string;
  readonly stop: () => Promise<unknown>;
}

/**
 * Starts another stack, as `npm start` does, with `folder` as DATA_DIR. Its output is in
 * `stack.log` of the folder.
 *
 * @param settings additional environment variables
 */
export async function startStack(
  folder: string,
  parameters: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnStack> {
  const { PORT: port = String(await freePort()) } = settings;
  const env = { ...process.env, DATA_DIR: folder, PORT: port, LOG_LEVEL: 'warn', ...settings };
  const log = openSync(join(folder, 'stack.log'), 'a');
  const stack = fork(programFile('stack'), parameters, {
    detached: true,
    env,
    stdio: ['ignore', log, 'inherit', 'ipc'],
  });
  closeSync(log);
  const ended = once(stack, 'exit');
  const stop = (): Promise<unknown> => {
    if (stack.connected) stack.disconnect();
    return ended;
  };
  const [started] = (await Promise.race([once(stack, 'message'), ended])) as [{ apiKey: string } | number | null];
  if (started === null || typeof started !== 'object') throw new Error(`the stack in ${folder} did not start`);
  return { origin: `http://127.0.0.1:${port}`, apiKey: started.apiKey, stop };
}
