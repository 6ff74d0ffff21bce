import { createHash } from 'node:crypto';
import { z } from 'zod';
import { bundleLimits } from '../bundles/bundle-entries.js';
import { invalidBundle, unreadable } from '../bundles/bundle.errors.js';
import { type Layer, readLayer } from './layer.js';

/** Header of packed layers: path and length of each file, in the order of their content. */
const Header = z.array(z.tuple([z.string(), z.int().nonnegative()])).max(bundleLimits.files);

/** Bytes of the length of the header, an unsigned big-endian integer. */
const prefixBytes = 4;

/** Returns the key of packed layers in the blob store. */
export const packedLayersKey = (hash: string): string => `layers/${hash}`;

/**
 * Packs the files of a bundle below `layers/`. The same files result in the same bytes: length of
 * the header, header (JSON), contents sorted by path.
 *
 * @param files by their path from the bundle
 * @returns the bytes and their SHA-256
 */
export function packLayers(files: ReadonlyMap<string, Buffer>): { hash: string; bytes: Buffer } {
  // By code units, because the order of a locale depends on the version of ICU
  const paths = [...files.keys()].filter((path) => path.startsWith('layers/')).sort();
  const contents = paths.map((path) => files.get(path)!);
  const header = Buffer.from(JSON.stringify(paths.map((path, index) => [path, contents[index]!.length])));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(header.length);
  const bytes = Buffer.concat([prefix, header, ...contents]);
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/**
 * Reads packed layers. The images of the layers share the memory of `bytes`.
 *
 * @param item name of the item
 * @returns the layers by angle, in alphabetical order
 * @throws DomainError `catalog.invalid` with all mistakes
 */
export function readPackedLayers(bytes: Buffer, item: string): ReadonlyMap<string, Layer> {
  const files = unpack(bytes);
  const errors: { path: string; message: string }[] = [];
  const layers = new Map<string, Layer>();
  for (const angle of [...new Set([...files.keys()].map((path) => path.split('/')[1] ?? ''))].sort()) {
    const layer = readLayer(
      (path) => files.get(path),
      item,
      angle,
      (path, message) => errors.push({ path, message }),
    );
    if (layer) layers.set(angle, layer);
  }
  if (errors.length > 0) throw invalidBundle(errors);
  return layers;
}

function unpack(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const reject = (message: string) => unreadable('layers', message);
  if (bytes.length < prefixBytes) throw reject('have no header');
  let offset = prefixBytes + bytes.readUInt32BE();
  if (offset > bytes.length) throw reject('are shorter than their header');
  const entries = readHeader(bytes.subarray(prefixBytes, offset));
  if (!entries) throw reject('have an invalid header');
  const files = new Map<string, Buffer>();
  for (const [path, length] of entries) {
    files.set(path, bytes.subarray(offset, offset + length));
    offset += length;
  }
  if (offset !== bytes.length) throw reject(`have ${bytes.length} bytes, not the ${offset} of their header`);
  if (files.size !== entries.length) throw reject('contain a file twice');
  return files;
}

function readHeader(bytes: Buffer): z.output<typeof Header> | undefined {
  try {
    return Header.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}
