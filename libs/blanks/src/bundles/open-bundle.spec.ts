import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGzip, gzipSync } from 'node:zlib';
import { type DomainError } from '#kernel';
import { pack } from 'tar-stream';
import { blanksFolder } from '../items/item.files.js';
import { bundleLimits } from './bundle-entries.js';
import { openBundle } from './open-bundle.js';
import { type ZipMember, zipOf } from './testing/zip.js';

const run = promisify(execFile);
const mug = `${blanksFolder}/items/mug`;
const mugFiles = readdirSync(mug, { recursive: true, withFileTypes: true }).filter((it) => it.isFile()).length;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
});
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true });
});

async function listening(path: string): Promise<void> {
  const server = createServer().listen(path);
  servers.push(server);
  await once(server, 'listening');
}

/** Writes a file that has only holes. */
async function truncated(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
}

const written = async (name: string, content: Buffer): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const zip = (...members: ZipMember[]): Promise<string> => written('item.zip', zipOf(members));

type TarMember = Parameters<ReturnType<typeof pack>['entry']>[0] & { readonly content?: Buffer };
async function tar(...members: TarMember[]): Promise<string> {
  const archive = pack();
  for (const { content = Buffer.alloc(0), ...header } of members) archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.pipe(createGzip())) chunks.push(chunk as Buffer);
  return written('item.tar.gz', Buffer.concat(chunks));
}

/** Returns the only mistake of a bundle that is not opened. */
async function mistakeOf(path: string): Promise<string> {
  const error = await openBundle(path).then(
    () => undefined,
    (it: unknown) => it as DomainError,
  );
  const { code, errors } = error!.body();
  expect(code).toBe('catalog.invalid');
  expect(errors).toHaveLength(1);
  return `${errors![0]!.path.replace(folder, '')} ${errors![0]!.message}`;
}

describe('openBundle', () => {
  it('has the same files from a folder, a ZIP and a tar, also within a folder', async () => {
    const files = await openBundle(mug);
    expect(files.size).toBe(mugFiles);
    const members = [...files].map(([name, content]) => ({ name, content }));
    const within = members.map(({ name, content }) => ({ name: `mug/${name}`, content }));
    expect(await openBundle(await zip(...members))).toEqual(files);
    expect(await openBundle(await zip({ name: 'mug/', content: Buffer.alloc(0) }, ...within))).toEqual(files);
    expect(await openBundle(await tar(...members))).toEqual(files);
    expect(await openBundle(await tar({ name: './mug/', type: 'directory' }, ...within))).toEqual(files);
  });

  it('ignores files that other programs add', async () => {
    const item = { name: 'item.json', content: Buffer.from('{}') };
    const foreign = ['.DS_Store', '__MACOSX/._item.json', '.git/config'].map((name) => ({
      name,
      content: Buffer.alloc(9),
    }));
    expect([...(await openBundle(await zip(item, ...foreign))).keys()]).toEqual(['item.json']);
    expect([...(await openBundle(await tar(item, ...foreign))).keys()]).toEqual(['item.json']);
  });

  const content = Buffer.from('{}');
  it.each<[string, () => Promise<string>, string | RegExp]>([
    ['a missing file', () => Promise.resolve(join(folder, 'none')), /^\/none cannot be read: ENOENT/],
    [
      'another kind of file',
      () => written('item.json', content),
      '/item.json is neither a folder, nor a .zip or .tar.gz file',
    ],
    ['a path that climbs in a ZIP', () => zip({ name: '../x', content }), /leaves the bundle|invalid relative path/],
    ['an absolute path in a ZIP', () => zip({ name: '/x', content }), /leaves the bundle|absolute path/],
    ['a path that climbs in a tar', () => tar({ name: 'a/../../x', content }), 'a/../../x leaves the bundle'],
    ['an absolute path in a tar', () => tar({ name: '/x', content }), '/x leaves the bundle'],
    [
      'a link in a ZIP',
      () => zip({ name: 'item.json', content, mode: 0o120777 }),
      'item.json is a link or no regular file',
    ],
    [
      'a link in a tar',
      () => tar({ name: 'item.json', type: 'symlink', linkname: '/etc/passwd' }),
      'item.json is a link or no regular file',
    ],
    [
      'a hard link in a tar',
      () => tar({ name: 'item.json', type: 'link', linkname: 'other' }),
      'item.json is a link or no regular file',
    ],
    [
      'a device in a tar',
      () => tar({ name: 'item.json', type: 'character-device' }),
      'item.json is a link or no regular file',
    ],
    [
      'the same file twice',
      () => zip({ name: 'icon.svg', content }, { name: 'Icon.SVG', content }),
      'Icon.SVG is in the bundle twice',
    ],
    ['too many folders', () => tar({ name: 'a/b/c/d/e', content }), 'a/b/c/d/e is in more than 3 folders'],
    [
      'too many files',
      () => zip(...Array.from({ length: bundleLimits.files + 1 }, (_, i) => ({ name: `${i}`, content }))),
      /is a file beyond 300$/,
    ],
    [
      'too many foreign files',
      () => zip(...Array.from({ length: 2 * bundleLimits.files + 1 }, (_, i) => ({ name: `.${i}`, content }))),
      /is one entry too many$/,
    ],
    ['a name of control characters', () => tar({ name: 'a\nb', content }), /must consist of letters/],
    [
      'a JSON bomb in a ZIP',
      () => zip({ name: 'item.json', content: Buffer.alloc(20e6, '[') }),
      'item.json is larger than 256 KB',
    ],
    [
      'a JSON bomb in a tar',
      () => tar({ name: 'item.json', content: Buffer.alloc(20e6, '[') }),
      'item.json is larger than 256 KB',
    ],
    [
      'a large file in a ZIP',
      () => zip({ name: 'a', content: Buffer.alloc(bundleLimits.fileBytes + 1) }),
      'a is larger than 24 MB',
    ],
    [
      'a file larger than a ZIP says',
      () => zip({ name: 'a', content: Buffer.alloc(1e6), declared: 1_000 }),
      /too many bytes|is larger than/,
    ],
    [
      'large files together',
      () => zip(...Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, content: Buffer.alloc(20 * 1024 ** 2) }))),
      '4 exceeds 96 MB of all files',
    ],
    [
      'a cut ZIP',
      async () => {
        const path = await zip({ name: 'a', content: Buffer.alloc(999) });
        await truncate(path, 60);
        return path;
      },
      /cannot be read/,
    ],
    [
      'a cut tar',
      async () => {
        const path = await tar({ name: 'a', content: Buffer.alloc(99_999, 'a0b') });
        await truncate(path, 90);
        return path;
      },
      /cannot be read|cut off/,
    ],
    [
      'zeros without end',
      () => written('item.tar.gz', gzipSync(Buffer.alloc(200 * 1024 ** 2), { level: 1 })),
      /expands to too many bytes|cannot be read/,
    ],
  ])('rejects %s', async (_, make, expected) => {
    const mistake = await mistakeOf(await make());
    if (typeof expected === 'string') expect(mistake).toBe(expected);
    else expect(mistake).toMatch(expected);
  });

  const noFile = 'is a link or no regular file';
  it.each<[string, (folder: string) => Promise<unknown>, string]>([
    ['a link', (at) => symlink('/etc/passwd', join(at, 'colors.json')), `colors.json ${noFile}`],
    ['a link to a folder', (at) => symlink(mug, join(at, 'layers/side')), `layers/side ${noFile}`],
    ['a pipe', (at) => run('mkfifo', [join(at, 'colors.json')]), `colors.json ${noFile}`],
    ['a socket', (at) => listening(join(at, 'colors.json')), `colors.json ${noFile}`],
    [
      'a large JSON file',
      (at) => writeFile(join(at, 'colors.json'), Buffer.alloc(300_000)),
      'colors.json is larger than 256 KB',
    ],
    [
      'a large image',
      (at) => truncated(join(at, 'layers/a.png'), bundleLimits.fileBytes + 1),
      'layers/a.png is larger than 24 MB',
    ],
    [
      'large images together',
      (at) => Promise.all([1, 2, 3, 4, 5].map((n) => truncated(join(at, `z${n}`), 20 * 1024 ** 2))),
      'z5 exceeds 96 MB of all files',
    ],
    [
      'too many folders',
      (at) => mkdir(join(at, 'a/b/c/d/e'), { recursive: true }),
      'a/b/c/d/e is in more than 3 folders',
    ],
    [
      'too many files',
      (at) => Promise.all(Array.from({ length: 300 }, (_, n) => writeFile(join(at, `z${1_000 + n}`), ''))),
      `z${1_300 - mugFiles} is a file beyond 300`,
    ],
  ])('rejects a folder with %s', async (_, add, expected) => {
    await cp(mug, folder, { recursive: true });
    await add(folder);
    expect(await mistakeOf(folder)).toBe(expected);
  });

  it('rejects a path that is a device or a pipe, at once', async () => {
    await run('mkfifo', [join(folder, 'pipe')]);
    expect(await mistakeOf(join(folder, 'pipe'))).toBe(`/pipe ${noFile}`);
    expect(await mistakeOf('/dev/zero')).toBe(`/dev/zero ${noFile}`);
  });

  it('writes nothing and opens no file longer than it reads it', async () => {
    const before = [await readdir(tmpdir()), await readdir('/proc/self/fd')].map(({ length }) => length);
    await openBundle(mug);
    await mistakeOf(await zip({ name: '../x', content }));
    await mistakeOf(await tar({ name: '/x', content }));
    expect([await readdir(tmpdir()), await readdir('/proc/self/fd')].map(({ length }) => length)).toEqual(before);
  });
});
