import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { DomainError } from '#kernel';
import { extract } from 'tar-stream';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { BundleEntries, bundleLimits, readEntry } from './bundle-entries.js';
import { unreadable } from './bundle.errors.js';

/**
 * Reads a bundle into memory: a folder, a ZIP, or a tar compressed by gzip. Only regular files and
 * folders are accepted.
 *
 * @returns the files by their path from the bundle
 * @throws DomainError `catalog.invalid` when the bundle cannot be read or exceeds `bundleLimits`
 */
export async function openBundle(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = new BundleEntries();
  try {
    if ((await stat(path)).isDirectory()) await readFolder(path, '', entries);
    else await withFile(path, path, 0, (file, size) => readArchive(path, file, size, entries));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    // Messages of the libraries do not contain the content of files
    throw unreadable(path, `cannot be read: ${(error as Error).message}`);
  }
  return entries.result();
}

const isNoFile = 'is a link or no regular file';
/** The file is closed by its opener. */
export const fromStart = { start: 0, autoClose: false };

/**
 * Opens a regular file. Its kind and size are those of the opened file, because another process may
 * replace it at any time. A pipe without a writer does not block.
 *
 * @param shown path in messages
 */
export async function withFile<Result>(
  path: string,
  shown: string,
  flags: number,
  use: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags).catch((error: unknown) => {
    // ELOOP: a link, with O_NOFOLLOW. ENXIO: a socket
    if (['ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) throw unreadable(shown, isNoFile);
    throw error;
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw unreadable(shown, isNoFile);
    return await use(file, found.size);
  } finally {
    await file.close();
  }
}

async function readArchive(path: string, file: FileHandle, size: number, entries: BundleEntries): Promise<void> {
  if (size > bundleLimits.archiveBytes)
    throw unreadable(path, `is larger than ${bundleLimits.archiveBytes / 1024 ** 2} MB`);
  const { buffer: start } = await file.read(Buffer.alloc(2), 0, 2, 0);
  if (start.toString('latin1') === 'PK')
    await readZip(await readEntry(path, file.createReadStream(fromStart), size), entries);
  else if (start[0] === 0x1f && start[1] === 0x8b) await readTar(path, file, entries);
  else throw unreadable(path, 'is neither a folder, nor a .zip or .tar.gz file');
}

async function readFolder(folder: string, prefix: string, entries: BundleEntries): Promise<void> {
  for (const name of await namesIn(folder)) {
    const [path, file] = [`${prefix}${name}`, join(folder, name)];
    const found = await lstat(file);
    // The size of a folder is that of its list
    const size = found.isFile() ? found.size : 0;
    if (!entries.accepts(path, size)) continue;
    if (found.isDirectory()) await readFolder(file, `${path}/`, entries);
    else {
      const read = (opened: FileHandle): Promise<Buffer> => readEntry(path, opened.createReadStream(fromStart), size);
      entries.add(path, await withFile(file, path, constants.O_NOFOLLOW, read));
    }
  }
}

/** Returns the names in a folder in alphabetical order, at most one more than a bundle may have. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) if (names.push(name) > 2 * bundleLimits.files) break;
  return names.sort();
}

/** Bits of the Unix mode that say what a file is. */
const [kindBits, regularFile] = [0o170000, 0o100000];

async function readZip(archive: Buffer, entries: BundleEntries): Promise<void> {
  const zip = await yauzl.fromBufferPromise(archive, { validateEntrySizes: true, strictFileNames: true });
  try {
    for await (const entry of zip.eachEntry()) await readZipEntry(zip, entry, entries);
  } finally {
    zip.close();
  }
}

async function readZipEntry(zip: ZipFile, entry: Entry, entries: BundleEntries): Promise<void> {
  const name = entry.fileName;
  const isFolder = name.endsWith('/');
  if (!entries.accepts(isFolder ? name.slice(0, -1) : name, entry.uncompressedSize) || isFolder) return;
  const kind = (entry.externalFileAttributes >>> 16) & kindBits;
  // 0: written by a system without modes
  if (kind !== 0 && kind !== regularFile) throw unreadable(name, isNoFile);
  if (entry.isEncrypted()) throw unreadable(name, 'is encrypted');
  entries.add(
    name,
    await readEntry(name, (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>, entry.uncompressedSize),
  );
}

async function readTar(path: string, file: FileHandle, entries: BundleEntries): Promise<void> {
  const archive = extract();
  const expanded = pipeline(file.createReadStream(fromStart), createGunzip(), bounded(path), archive);
  // Its error is thrown below, unless that of an entry has ended the stream
  expanded.catch(() => undefined);
  for await (const entry of archive) {
    const { type, size } = entry.header;
    const name = entry.header.name.replace(/^\.\//, '').replace(/\/$/, '');
    const isWanted = name !== '' && name !== '.' && entries.accepts(name, type === 'file' ? size : 0);
    if (isWanted && type !== 'file' && type !== 'directory') throw unreadable(name, isNoFile);
    if (isWanted && type === 'file') entries.add(name, await readEntry(name, entry as AsyncIterable<Buffer>, size));
    else entry.resume();
  }
  await expanded;
}

/** Bounds the time of reading an archive with endless data between its entries. */
const bounded = (path: string) =>
  async function* (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > 2 * bundleLimits.bytes) throw unreadable(path, 'expands to too many bytes');
      yield chunk;
    }
  };
