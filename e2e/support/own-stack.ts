import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '#dev-stack';
import { programFile } from '../../tools/dev-stack/apps/apps.js';

export interface OwnStack {
  readonly origin: string;
  /** Personal API key of the user demo. */
  readonly apiKey: string;
  readonly stop: () => Promise<unknown>;
}

/** Starts another stack as `npm start` does, with a data folder. */
export async function startStack(folder: string, ...parameters: string[]): Promise<OwnStack> {
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn' };
  const stack = fork(programFile('stack'), parameters, {
    detached: true,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(stack, 'exit');
  const stop = (): Promise<unknown> => {
    if (stack.connected) stack.disconnect();
    return ended;
  };
  const [started] = (await Promise.race([once(stack, 'message'), ended])) as [{ apiKey: string } | number | null];
  if (started === null || typeof started !== 'object') throw new Error(`the stack in ${folder} did not start`);
  return { origin: `http://127.0.0.1:${port}`, apiKey: started.apiKey, stop };
}
