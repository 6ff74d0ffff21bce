import { Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Cache } from '#cache';
import { FairQueue } from '#concurrency';
import type { Texture, TextureSource } from '#contracts';
import { DomainError } from '#kernel';
import { SpanKind, traced } from '#observability';
import { BlobStore, BlobTooLarge } from '#storage';
import { callerTicket } from '../caller-ticket.js';
import { overloaded } from '../overload.errors.js';
import { rejectLate } from '../late-request.js';
import type { PyramidLevel } from '#rendering/texture.js';
import { failureLabel, renderingMetrics } from '#rendering/rendering.metrics.js';
import { TextureDecoder } from './texture.decoder.js';
import { mapSources } from './map-sources.rules.js';
import { FetchLimiter } from './fetch.limiter.js';
import type { Measurement } from './measurement.schema.js';
import { readParts } from './metadata/read-parts.js';
import type { StoredPart } from './metadata/stored-parts.js';
import { empty, notDecoded, notFetched, tooLarge, unsupportedFormat } from './texture.errors.js';
import { TextureFetcher } from './texture.fetcher.js';
import { type StoredTexture, TextureRepository } from './texture.repository.js';
import { findPixelExcess, sniff, sniffedBytes, textureLimits } from './texture.rules.js';
import { TextureQuotaExceeded } from './texture-quota.rules.js';
import { TextureStore } from './texture.store.js';

/**
 * Images that are processed concurrently: one is decoded, and the others are hashed or wait for the
 * decoder.
 */
const maxInspections = 8;

/** Files of at most this size are hashed in one call, in a millisecond, and read only once. */
const smallFileBytes = 256 * 1024;

/**
 * Bytes in the blob store that are not validated yet. `seen` describes the HTTP response that they
 * come from; undefined for an upload of the client.
 */
interface Upload {
  readonly key: string;
  readonly seen?: string;
}

/** Hash and first bytes of the file of an image. Only child processes decode the image. */
interface FileDigest {
  readonly hash: string;
  readonly head: Buffer;
  /** Content of a small file, which is read once; the path of a larger one. */
  readonly image: string | Buffer;
}

/** Size of an existing upload within the limit; `seen` describes the received data. */
interface UploadSize {
  readonly bytes: number;
  readonly seen: string;
}

/** Valid image. `upload` is the key of its bytes. */
interface Inspected {
  readonly texture: Texture;
  readonly upload: string;
  readonly isStored: boolean;
  /** Key of the texture if the blob store has lost its bytes; otherwise null. */
  readonly lost: string | null;
  /** Level that the image was decoded to; undefined if not requested, or not decoded now. */
  readonly level?: PyramidLevel | undefined;
}

/** An upload without its metadata. */
interface Stripped {
  /** Its key in the blob store. */
  readonly upload: string;
  readonly hash: string;
  readonly bytes: number;
}

type Measured = Omit<Texture, 'hash' | 'bytes'>;
type Unstripped = Measured & {
  readonly parts: readonly StoredPart[] | null;
  readonly level: PyramidLevel | undefined;
};

/** Validates, measures and stores images of clients, from a URL or an upload. */
@Injectable()
export class TextureService {
  private readonly inspection = new FairQueue({
    permits: maxInspections,
    maxWaiting: 48,
    timeoutMs: 6_000,
    overloaded: () => overloaded('texture'),
  });
  /** Separate limiter, so that slow servers delay only the users that fetch from them. */
  private readonly downloads = new FetchLimiter();

  /**
   * Measurements by the hash of the file. Concurrent requests with the same image share one, and a
   * file with metadata, whose stored bytes have another hash, is not decoded again while its
   * measurement is cached. A rejection is shared but not cached, because a busy machine can be its
   * reason.
   */
  private readonly measurements = new Cache<Measurement>({
    name: 'texture-measurements',
    maxBytes: 4 * 1024 ** 2,
    bytesOf: (measurement) => 500 + (measurement.kind === 'measured' ? partsBytes(measurement.parts ?? []) : 0),
    ttlMs: ({ kind }) => (kind === 'measured' ? Infinity : 0),
  });

  constructor(
    private readonly fetcher: TextureFetcher,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly textures: TextureRepository,
    private readonly textureStore: TextureStore,
  ) {}

  /**
   * Stores all images of a request or none: a first pass validates them, and a second one stores
   * them if all are valid. Bytes that were stored before are not decoded again. Uploads are deleted
   * in any case.
   *
   * @param userId user who gets a reference to each texture
   * @returns the texture of each source, in order
   * @throws DomainError `texture.*` with a `sources.<index>` for each rejected source;
   *   `user.not-found`, `service.overloaded`, `service.unavailable`, `service.no-answer`
   */
  async store(userId: number, sources: readonly TextureSource[]): Promise<Texture[]> {
    const uploads = sources.flatMap((source) => (source.kind === 'upload' ? [source.key] : []));
    try {
      const inspected = await mapSources(sources, (source) => this.inspectSource(userId, source, uploads));
      await this.storeInspected(userId, inspected, uploads);
      return inspected.map(({ texture }) => texture);
    } finally {
      await this.deleteAll(uploads);
    }
  }

  /**
   * Validates an image as a texture, and passes it to `use` with the key of its upload instead of
   * storing it. The upload is deleted in any case, unless `use` moves it. If the image was decoded,
   * `use` also gets the decoded level.
   *
   * @throws DomainError `texture.*`, `service.overloaded`, `service.unavailable`,
   *   `service.no-answer`
   * @throws every error of `use`, unchanged
   */
  async withTexture<R>(
    userId: number,
    source: TextureSource,
    use: (texture: Texture, upload: string, level?: PyramidLevel) => Promise<R>,
  ): Promise<R> {
    const uploads = source.kind === 'upload' ? [source.key] : [];
    try {
      const { texture, upload, level } = await this.inspectSource(userId, source, uploads, true);
      return await use(texture, upload, level);
    } finally {
      await this.deleteAll(uploads);
    }
  }

  /**
   * Fetches and validates an image as a texture, and passes the path of its file to `use` instead
   * of storing it.
   *
   * @throws DomainError `texture.*`, `service.overloaded`, `service.unavailable`,
   *   `service.no-answer`
   * @throws every error of `use`, unchanged
   */
  withImage<R>(userId: number, url: string, use: (path: string) => Promise<R>): Promise<R> {
    return this.withTexture(userId, { kind: 'url', url }, async (_texture, upload) => {
      const result = await this.blobs.withFile(upload, use);
      if (result === null) throw uploadMissing();
      return result;
    });
  }

  private inspectSource(
    userId: number,
    source: TextureSource,
    uploads: string[],
    withLevel = false,
  ): Promise<Inspected> {
    return countOutcome(async () => {
      const upload = source.kind === 'upload' ? { key: source.key } : await this.download(userId, source.url, uploads);
      return this.inspection.run(() => this.inspect(upload, uploads, withLevel), callerTicket('interactive'));
    });
  }

  private async deleteAll(uploads: readonly string[]): Promise<void> {
    await Promise.all(uploads.map((key) => this.blobs.delete(key)));
  }

  /** Fetches the image of a URL and stores it as an upload. */
  private download(userId: number, url: string, uploads: string[]): Promise<Upload> {
    const hostname = this.fetcher.hostnameOf(url);
    return this.downloads.run({ userId, hostname }, async (permit) => {
      rejectLate();
      const key = `uploads/${randomUUID()}`;
      uploads.push(key);
      const seen = await traced('fetch texture', { kind: SpanKind.CLIENT }, () =>
        this.fetcher.fetch(url, (image) => this.blobs.putTemporary(key, image), permit),
      );
      return { key, seen };
    });
  }

  private async inspect(upload: Upload, uploads: string[], withLevel: boolean): Promise<Inspected> {
    rejectLate();
    const inspectFile = async (path: string, bytes: number): Promise<Inspected> => {
      const size = checkedSize(bytes, upload);
      const digest = await digestFile(path, size.bytes);
      const stored = await this.findStored(digest.hash);
      if (stored?.isStored === true) return { ...stored, upload: upload.key };
      const { parts, level, ...measured } = await this.measure(size, digest, withLevel);
      if (parts === null) {
        const texture = { ...measured, hash: digest.hash, bytes: size.bytes };
        return { texture, upload: upload.key, isStored: false, lost: stored?.lost ?? null, level };
      }
      return { ...(await this.inspectStripped(measured, await this.strip(path, parts, uploads))), level };
    };
    const inspected = await this.blobs
      .withFile(upload.key, inspectFile, textureLimits.bytes)
      .catch(rethrowBlobTooLarge);
    if (inspected === null) throw uploadMissing();
    return inspected;
  }

  /** Returns the texture with this hash, or null for a new one. */
  private async findStored(hash: string): Promise<Omit<Inspected, 'upload'> | null> {
    const known = await this.textures.find(hash);
    if (known === null) return null;
    const isStored = await this.blobs.has(known.key);
    return { texture: withoutKey(known), isStored, lost: isStored ? null : known.key };
  }

  /**
   * Identifies a texture by the hash of its stored bytes: the same image with other metadata is the
   * same texture.
   */
  private async inspectStripped(measured: Measured, { upload, hash, bytes }: Stripped): Promise<Inspected> {
    const stored = await this.findStored(hash);
    if (stored !== null) return { ...stored, upload };
    return { texture: { ...measured, hash, bytes }, upload, isStored: false, lost: null };
  }

  /** Stores the parts of a file as an upload. */
  private async strip(path: string, parts: readonly StoredPart[], uploads: string[]): Promise<Stripped> {
    const upload = `uploads/${randomUUID()}`;
    uploads.push(upload);
    const sha256 = createHash('sha256');
    let bytes = 0;
    await this.blobs.putTemporary(
      upload,
      (async function* () {
        for await (const piece of readParts(path, parts)) {
          sha256.update(piece);
          bytes += piece.length;
          yield piece;
        }
      })(),
    );
    return { upload, hash: sha256.digest('hex'), bytes };
  }

  /** Stores textures. Removes the keys of moved uploads from `uploads`. */
  private async storeInspected(userId: number, inspected: readonly Inspected[], uploads: string[]): Promise<void> {
    rejectLate();
    const distinct = new Map(inspected.map((one) => [one.texture.hash, one]));
    const wanted = [...distinct.values()].map(({ upload, ...rest }) => ({
      ...rest,
      put: async (key: string): Promise<void> => {
        if (!(await this.blobs.move(upload, key))) throw uploadMissing();
        uploads.splice(uploads.indexOf(upload), 1);
      },
    }));
    await this.textureStore.add(userId, wanted).catch((error: unknown) => {
      throw error instanceof TextureQuotaExceeded ? withSources(error, inspected) : error;
    });
  }

  private async measure(
    { bytes, seen }: UploadSize,
    { hash, head, image }: FileDigest,
    withLevel: boolean,
  ): Promise<Unstripped> {
    let level: PyramidLevel | undefined;
    const sniffed = sniff(head);
    if ('unsupported' in sniffed) throw unsupportedFormat(sniffed.unsupported, seen);
    const measurement = await this.measurements.load(hash, async () => {
      const measured = await traced('measure texture', { attributes: { bytes } }, () =>
        this.decoder.measure(image, withLevel),
      );
      if (measured.kind !== 'measured') return measured;
      // The level is too large for the cache
      level = measured.level;
      return { ...measured, level: undefined };
    });
    if (measurement.kind === 'too-large') throw tooLarge(measurement.reason, seen);
    if (measurement.kind === 'not-decoded') throw notDecoded(measurement.reason, seen);
    const { width, height, dominantRgb, animated, parts } = measurement;
    const excess = findPixelExcess({ format: sniffed.supported, width, height });
    if (excess !== null) throw tooLarge(excess, seen);
    return { format: sniffed.supported, width, height, dominantRgb, animated, parts, level };
  }
}

/** @throws DomainError `texture.empty` */
function checkedSize(bytes: number, { seen }: Upload): UploadSize {
  if (bytes === 0) throw empty();
  return { bytes, seen: seen ?? `${bytes} bytes` };
}

/** Throws `texture.too-large` for an upload that exceeds the limit, and rethrows other errors. */
function rethrowBlobTooLarge(error: unknown): never {
  if (!(error instanceof BlobTooLarge)) throw error;
  throw tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, `${error.size} bytes`);
}

const partsBytes = (parts: readonly StoredPart[]): number =>
  parts.reduce((sum, part) => sum + 100 + ('bytes' in part ? part.bytes.length : 0), 0);

/** Counts the outcome of an image of a client. */
async function countOutcome(inspect: () => Promise<Inspected>): Promise<Inspected> {
  const { textures } = renderingMetrics();
  try {
    const inspected = await inspect();
    textures.inc({ outcome: inspected.isStored ? 'known' : 'new' });
    return inspected;
  } catch (error) {
    textures.inc({ outcome: failureLabel(error) });
    throw error;
  }
}

/**
 * Hashes a file, a larger one piece by piece: the SHA-256 of 20 MB in one call would block the
 * event loop for 60 to 100 ms.
 */
async function digestFile(path: string, size: number): Promise<FileDigest> {
  const sha256 = createHash('sha256');
  if (size <= smallFileBytes) {
    const bytes = await readFile(path);
    return { hash: sha256.update(bytes).digest('hex'), head: bytes.subarray(0, sniffedBytes), image: bytes };
  }
  let head = Buffer.alloc(0);
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    // The first piece is longer than `sniffedBytes`, or the whole file
    if (head.length === 0) head = Buffer.from(piece.subarray(0, sniffedBytes));
    sha256.update(piece);
  }
  return { hash: sha256.digest('hex'), head, image: path };
}

/** Adds the sources of the textures that exceed the quota to the error. */
function withSources({ kind, detail, hashes }: TextureQuotaExceeded, inspected: readonly Inspected[]): DomainError {
  const errors = inspected.flatMap(({ texture: { hash } }, index) =>
    hashes.includes(hash) ? [{ path: `sources.${index}`, message: detail }] : [],
  );
  return new DomainError(kind, detail, errors);
}

/** Returns a stored texture without its key, as other services receive it. */
const withoutKey = ({ hash, format, width, height, bytes, dominantRgb, animated }: StoredTexture): Texture => ({
  hash,
  format,
  width,
  height,
  bytes,
  dominantRgb,
  animated,
});

const uploadMissing = (): DomainError => notFetched('the upload does not exist any more');
