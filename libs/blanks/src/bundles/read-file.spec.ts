import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileWithin } from './read-file.js';

describe('readFileWithin', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-file-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads a file up to its limit', async () => {
    const path = join(folder, 'file');
    await writeFile(path, Buffer.alloc(2_048, 7));
    expect(await readFileWithin(path, 2_048)).toEqual(Buffer.alloc(2_048, 7));
    await expect(readFileWithin(path, 1_024)).rejects.toThrow('is larger than 1 KB');
  });

  it('rejects a pipe, a device and a folder at once', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero', folder])
      await expect(readFileWithin(path, 1_024)).rejects.toThrow('is a link or no regular file');
  });

  it('names the path in the description if it is given', async () => {
    await expect(readFileWithin(join(folder, 'none'), 1, 'photo')).rejects.toMatchObject({
      errors: [{ path: 'photo', message: expect.stringContaining('cannot be read') as string }],
    });
  });
});
