import { unreadable } from './bundle.errors.js';

/** Limits of a bundle. The largest item that ships has 19 files. */
export const bundleLimits = {
  files: 300,
  /** Bytes of a file: images of 2,400 pixels have less. */
  fileBytes: 24 * 1024 ** 2,
  /** Bytes of a JSON file: an item of 500 variants has 80 KB. */
  jsonBytes: 256 * 1024,
  /** Bytes of all files. */
  bytes: 96 * 1024 ** 2,
  /** Bytes of an archive. */
  archiveBytes: 64 * 1024 ** 2,
  /** Segments of a path: `layers/front/shade.webp` has three, an archive adds a folder. */
  depth: 4,
} as const;

export const sizeText = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KB` : `${Math.round(bytes / 1024 ** 2)} MB`;
const segmentPattern = /^\w[\w .-]{0,99}$/;

/** Files that programs add to folders and archives, which are ignored. */
const isForeign = (segment: string): boolean => segment.startsWith('.') || segment === '__MACOSX';

/**
 * Content of a bundle in memory. Each file is announced before it is read, so that nothing beyond
 * the limits is.
 */
export class BundleEntries {
  private readonly files = new Map<string, Buffer>();
  private entries = 0;
  private announcedBytes = 0;

  /**
   * Returns whether the file belongs to the bundle.
   *
   * @param path from the bundle, with `/`
   * @param bytes of the file
   * @throws DomainError `catalog.invalid` when its path leaves the bundle, or a limit is exceeded
   */
  accepts(path: string, bytes: number): boolean {
    const shown = path.slice(0, 200);
    this.entries += 1;
    if (this.entries > 2 * bundleLimits.files) throw unreadable(shown, 'is one entry too many');
    const segments = path.split('/');
    if (segments.includes('..') || path.startsWith('/') || /[\\:\0]/.test(path))
      throw unreadable(shown, 'leaves the bundle');
    if (segments.some(isForeign)) return false;
    const invalid = segments.find((segment) => !segmentPattern.test(segment));
    if (invalid !== undefined) throw unreadable(shown, 'must consist of letters, digits, spaces and . _ -');
    if (segments.length > bundleLimits.depth)
      throw unreadable(shown, `is in more than ${bundleLimits.depth - 1} folders`);
    if (this.files.size >= bundleLimits.files) throw unreadable(shown, `is a file beyond ${bundleLimits.files}`);
    const maxBytes = path.endsWith('.json') ? bundleLimits.jsonBytes : bundleLimits.fileBytes;
    if (bytes > maxBytes) throw unreadable(shown, `is larger than ${sizeText(maxBytes)}`);
    this.announcedBytes += bytes;
    if (this.announcedBytes > bundleLimits.bytes)
      throw unreadable(shown, `exceeds ${sizeText(bundleLimits.bytes)} of all files`);
    return true;
  }

  /** @throws DomainError `catalog.invalid` when the bundle has the file already */
  add(path: string, content: Buffer): void {
    // A file system without case would have only one of them
    const key = path.toLowerCase();
    for (const other of this.files.keys())
      if (other.toLowerCase() === key) throw unreadable(path, 'is in the bundle twice');
    this.files.set(path, content);
  }

  /** Returns the files by path. The folder that contains all files of an archive is omitted. */
  result(): ReadonlyMap<string, Buffer> {
    if (this.files.has('item.json')) return this.files;
    const [top] = [...this.files.keys()][0]?.split('/') ?? [];
    const isWithin = [...this.files.keys()].every((path) => path.startsWith(`${top}/`));
    if (!isWithin) return this.files;
    return new Map([...this.files].map(([path, content]) => [path.slice(top!.length + 1), content]));
  }
}

/**
 * Reads a stream of the announced number of bytes.
 *
 * @throws DomainError `catalog.invalid` when it has another length
 */
export async function readEntry(path: string, stream: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > bytes) throw unreadable(path, 'is larger than the archive says');
    chunks.push(chunk);
  }
  if (length < bytes) throw unreadable(path, 'is cut off');
  return Buffer.concat(chunks);
}
