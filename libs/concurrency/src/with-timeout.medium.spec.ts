import { spawn } from 'node:child_process';
import { once } from 'node:events';

const library = new URL('../../../dist/libs/concurrency/src/index.js', import.meta.url).href;

/**
 * Runs statements in a separate process, which is killed after 20 s. Returns its exit code, signal
 * and output.
 */
async function run(statements: string) {
  const code = `import { AutoResetEvent, Semaphore, withTimeout } from '${library}'; ${statements}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, output: output.trim() };
}

const forever = 'new Promise(() => undefined)';

describe('the timer of withTimeout', () => {
  it('does not prevent an idle process from exiting', async () => {
    const exit = await run(`void withTimeout(${forever}, 60_000, () => console.log('late'))`);
    expect(exit).toEqual({ exitCode: 0, signal: null, output: '' });
  });

  it('fires while a server is listening', async () => {
    const exit = await run(
      `const server = (await import('node:net')).createServer().listen(0);
      console.log(await withTimeout(${forever}, 50, () => 'late'));
      server.close();`,
    );
    expect(exit).toEqual({ exitCode: 0, signal: null, output: 'late' });
  });

  it('prevents the process from exiting in Semaphore and AutoResetEvent', async () => {
    const exit = await run(
      `const semaphore = new Semaphore(1);
      semaphore.acquire();
      console.log(await semaphore.whenIdle(50));
      await new AutoResetEvent().wait(50);
      console.log('done')`,
    );
    expect(exit).toEqual({ exitCode: 0, signal: null, output: 'false\ndone' });
  });
});
