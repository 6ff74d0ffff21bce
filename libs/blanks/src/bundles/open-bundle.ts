import { createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
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
    const { size, isFolder } = await stat(path).then((it) => ({ size: it.size, isFolder: it.isDirectory() }));
    if (isFolder) await readFolder(path, '', entries);
    else {
      if (size > bundleLimits.archiveBytes)
        throw unreadable(path, `is larger than ${bundleLimits.archiveBytes / 1024 ** 2} MB`);
      await readerOf(await firstBytes(path), path)(path, entries);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    // Messages of the libraries do not contain the content of files
    throw unreadable(path, `cannot be read: ${(error as Error).message}`);
  }
  return entries.result();
}

type Reader = (path: string, entries: BundleEntries) => Promise<void>;

function readerOf(start: Buffer, path: string): Reader {
  if (start.subarray(0, 2).toString('latin1') === 'PK') return readZip;
  if (start[0] === 0x1f && start[1] === 0x8b) return readTar;
  throw unreadable(path, 'is neither a folder, nor a .zip or .tar.gz file');
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    return (await file.read(Buffer.alloc(2), 0, 2, 0)).buffer;
  } finally {
    await file.close();
  }
}

async function readFolder(folder: string, prefix: string, entries: BundleEntries): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    const path = `${prefix}${name}`;
    const file = join(folder, name);
    const { size, isFolder, isFile } = await lstat(file).then((it) => ({
      size: it.size,
      isFolder: it.isDirectory(),
      isFile: it.isFile(),
    }));
    // The size of a folder is that of its list
    if (!entries.accepts(path, isFile ? size : 0)) continue;
    if (isFolder) await readFolder(file, `${path}/`, entries);
    else if (isFile) entries.add(path, await readFile(file));
    else throw unreadable(path, 'is a link or no regular file');
  }
}

/** Bits of the Unix mode that say what a file is. */
const [kindBits, regularFile] = [0o170000, 0o100000];

async function readZip(path: string, entries: BundleEntries): Promise<void> {
  const zip = await yauzl.openPromise(path, { validateEntrySizes: true, strictFileNames: true });
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
  if (kind !== 0 && kind !== regularFile) throw unreadable(name, 'is a link or no regular file');
  if (entry.isEncrypted()) throw unreadable(name, 'is encrypted');
  entries.add(name, await readEntry(name, (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>, entry.uncompressedSize));
}

async function readTar(path: string, entries: BundleEntries): Promise<void> {
  const archive = extract();
  const expanded = pipeline(createReadStream(path), createGunzip(), bounded(path), archive);
  // Its error is thrown below, unless that of an entry has ended the stream
  expanded.catch(() => undefined);
  for await (const entry of archive) {
    const { type, size } = entry.header;
    const name = entry.header.name.replace(/^\.\//, '').replace(/\/$/, '');
    const isWanted = name !== '' && name !== '.' && entries.accepts(name, type === 'file' ? size : 0);
    if (isWanted && type !== 'file' && type !== 'directory') throw unreadable(name, 'is a link or no regular file');
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
