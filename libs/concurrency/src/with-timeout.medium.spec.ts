import { spawn } from 'node:child_process';
import { once } from 'node:events';

const library = new URL('../../../dist/libs/concurrency/src/index.js', import.meta.url).href;

/** Runs statements in a process of their own, which is killed after 20 s. Returns how it ended and what it wrote. */
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
  it('does not keep a process alive that has nothing else to do', async () => {
    const ended = await run(`void withTimeout(${forever}, 60_000, () => console.log('late'))`);
    expect(ended).toEqual({ exitCode: 0, signal: null, output: '' });
  });

  it('expires as long as something else keeps the process alive', async () => {
    const ended = await run(
      `const server = (await import('node:net')).createServer().listen(0);
      console.log(await withTimeout(${forever}, 50, () => 'late'));
      server.close();`,
    );
    expect(ended).toEqual({ exitCode: 0, signal: null, output: 'late' });
  });

  it('keeps the process alive where only its own code can end the wait', async () => {
    const ended = await run(
      `const semaphore = new Semaphore(1);
      semaphore.acquire();
      console.log(await semaphore.whenIdle(50));
      await new AutoResetEvent().wait(50);
      console.log('done')`,
    );
    expect(ended).toEqual({ exitCode: 0, signal: null, output: 'false\ndone' });
  });
});
