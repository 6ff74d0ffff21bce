import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectPath } from '#config';

const store = projectPath('dist/apps/material-rendering/src/print-files/print-file.store.js');

/** Program that writes a file into a store, whose `put` is the given code. Prints the outcome. */
const program = (put: string, write: string): string => `
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const { PrintFileStore } = await import(${JSON.stringify(store)});
  const blobs = { put: async (key, stream) => { ${put} }, move: async () => true, has: async () => true };
  const written = new PrintFileStore(blobs).write(1, 'front', 'png', async (sink) => { ${write} });
  await written.catch(({ message }) => console.log(message));
  await sleep(100);`;

// A process of its own, because an unhandled error ends a worker, but not Jest
describe('a failure while a print file is written only rejects the write', () => {
  it.each([
    ['of the store, before a chunk fills the buffer', `await sleep(10); throw new Error('full');`, 'await sleep(50);'],
    [
      'of the writer, before the store reads',
      'await sleep(50); for await (const chunk of stream);',
      `throw new Error('full');`,
    ],
  ])('%s', async (_, put, write) => {
    const script = program(put, write);
    const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(run).toEqual({ stdout: 'full\n', stderr: '' });
  });
});
