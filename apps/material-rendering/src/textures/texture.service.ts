import { Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Cache } from '#cache';
import { FairQueue } from '#concurrency';
import type { Texture, TextureSource } from '#contracts';
import { DomainError } from '#kernel';
import { SpanKind, traced } from '#observability';
import { BlobStore } from '#storage';
import { callerTicket } from '../caller-ticket.limiter.js';
import { overloaded } from '../overload.errors.js';
import { rejectLate } from '../late-request.limiter.js';
import { failureLabel, renderingMetrics } from '../rendering.metrics.js';
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

/** Images that are looked at at once: one is decoded, and the others are hashed or wait for the decoder. */
const maxInspections = 8;

/** Bytes in the blob store that are not inspected yet; `seen` describes the response that they came with. */
interface Upload {
  readonly key: string;
  readonly seen?: string;
}

/** What is read of an image in this process: everything else is for a child to see. */
interface FileDigest {
  readonly hash: string;
  readonly head: Buffer;
}

/** An upload that is there, of a size that is allowed; `seen` describes what arrived. */
interface UploadSize {
  readonly bytes: number;
  readonly seen: string;
}

/** An image that is good. `upload` is the key of its bytes. */
interface Inspected {
  readonly texture: Texture;
  readonly upload: string;
  readonly isStored: boolean;
  /** The key under which the store should have its bytes, and has not. */
  readonly lost: string | null;
}

/** An upload without its metadata. */
interface Stripped {
  /** Its key. */
  readonly upload: string;
  readonly hash: string;
  readonly bytes: number;
}

type Measured = Omit<Texture, 'hash' | 'bytes'>;
type Unstripped = Measured & { readonly parts: readonly StoredPart[] | null };

/** Takes images of clients in: from an address or an upload to a checked, measured blob that may be drawn. */
@Injectable()
export class TextureService {
  private readonly inspection = new FairQueue({
    permits: maxInspections,
    maxWaiting: 48,
    timeoutMs: 6_000,
    overloaded: () => overloaded('texture'),
  });
  /** Apart from the others, so that slow servers delay only the users that name them. */
  private readonly downloads = new FetchLimiter();

  /**
   * Requests with the same image share its measurement, until the image is stored. A rejection is shared and not cached: a
   * busy machine may have been the reason.
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
   * Takes all images of a request, or none: the first pass only looks at them, the second one stores them when all are
   * good. The same bytes a second time are not decoded again. Uploads are removed in any case.
   *
   * @param userId whose textures they are from now on
   * @returns the texture of each source, in order
   * @throws DomainError `texture.*` with a `sources.<index>` for each refused one; `service.overloaded`,
   *   `service.no-answer`
   */
  async take(userId: number, sources: readonly TextureSource[]): Promise<Texture[]> {
    const uploads = sources.flatMap((source) => (source.kind === 'upload' ? [source.key] : []));
    try {
      const inspected = await mapSources(sources, (source) =>
        counted(async () => {
          const upload =
            source.kind === 'upload' ? { key: source.key } : await this.download(userId, source.url, uploads);
          return this.inspection.run(() => this.inspect(upload, uploads), callerTicket('interactive'));
        }),
      );
      await this.store(userId, inspected);
      return inspected.map(({ texture }) => texture);
    } finally {
      await Promise.all(uploads.map((key) => this.blobs.delete(key)));
    }
  }

  /** Makes an upload of what an address holds. */
  private download(userId: number, url: string, uploads: string[]): Promise<Upload> {
    const hostname = this.fetcher.hostnameOf(url);
    return this.downloads.run({ userId, hostname }, async (permit) => {
      rejectLate();
      const key = `uploads/${randomUUID()}`;
      uploads.push(key);
      const seen = await traced('fetch texture', { kind: SpanKind.CLIENT }, () =>
        this.fetcher.fetch(url, (image) => this.blobs.put(key, image), permit),
      );
      return { key, seen };
    });
  }

  private async inspect(upload: Upload, uploads: string[]): Promise<Inspected> {
    rejectLate();
    const arrived = await this.find(upload);
    const inspected = await this.blobs.withFile(upload.key, async (path): Promise<Inspected> => {
      const glance = await digestFile(path);
      const stored = await this.findStored(glance.hash);
      if (stored?.isStored === true) return { ...stored, upload: upload.key };
      const { parts, ...measured } = await this.measure(path, arrived, glance);
      if (parts === null) {
        const texture = { ...measured, hash: glance.hash, bytes: arrived.bytes };
        return { texture, upload: upload.key, isStored: false, lost: stored?.lost ?? null };
      }
      return this.inspectStripped(measured, await this.strip(path, parts, uploads));
    });
    if (inspected === null) throw uploadMissing();
    return inspected;
  }

  /** What is known of the bytes of a hash; null for new ones. */
  private async findStored(hash: string): Promise<Omit<Inspected, 'upload'> | null> {
    const known = await this.textures.find(hash);
    if (known === null) return null;
    const isStored = await this.blobs.has(known.key);
    return { texture: described(known), isStored, lost: isStored ? null : known.key };
  }

  /** A texture is known by what is stored of it: the same image with other metadata is the same texture. */
  private async inspectStripped(measured: Measured, { upload, hash, bytes }: Stripped): Promise<Inspected> {
    const stored = await this.findStored(hash);
    if (stored !== null) return { ...stored, upload };
    return { texture: { ...measured, hash, bytes }, upload, isStored: false, lost: null };
  }

  /** Makes an upload of the parts of a file. */
  private async strip(path: string, parts: readonly StoredPart[], uploads: string[]): Promise<Stripped> {
    const upload = `uploads/${randomUUID()}`;
    uploads.push(upload);
    const sha256 = createHash('sha256');
    let bytes = 0;
    await this.blobs.put(
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

  private async store(userId: number, inspected: readonly Inspected[]): Promise<void> {
    rejectLate();
    const distinct = new Map(inspected.map((one) => [one.texture.hash, one]));
    const wanted = [...distinct.values()].map(({ upload, ...rest }) => ({
      ...rest,
      put: async (key: string): Promise<void> => {
        if (!(await this.blobs.move(upload, key))) throw uploadMissing();
      },
    }));
    await this.textureStore.add(userId, wanted).catch((error: unknown) => {
      throw error instanceof TextureQuotaExceeded ? withSources(error, inspected) : error;
    });
  }

  private async find({ key, seen }: Upload): Promise<UploadSize> {
    const facts = await this.blobs.stat(key);
    if (facts === null) throw uploadMissing();
    const size = `${facts.size} bytes`;
    if (facts.size > textureLimits.bytes) throw tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, size);
    if (facts.size === 0) throw empty();
    return { bytes: facts.size, seen: seen ?? size };
  }

  private async measure(path: string, { bytes, seen }: UploadSize, { hash, head }: FileDigest): Promise<Unstripped> {
    const sniffed = sniff(head);
    if ('unsupported' in sniffed) throw unsupportedFormat(sniffed.unsupported, seen);
    const measurement = await this.measurements.load(hash, () =>
      traced('measure texture', { attributes: { bytes } }, () => this.decoder.measure(path)),
    );
    if (measurement.kind === 'too-large') throw tooLarge(measurement.reason, seen);
    if (measurement.kind === 'not-decoded') throw notDecoded(measurement.reason, seen);
    const { width, height, dominantRgb, parts } = measurement;
    const excess = findPixelExcess({ format: sniffed.supported, width, height });
    if (excess !== null) throw tooLarge(excess, seen);
    return { format: sniffed.supported, width, height, dominantRgb, parts };
  }
}

const partsBytes = (parts: readonly StoredPart[]): number =>
  parts.reduce((sum, part) => sum + 100 + ('bytes' in part ? part.bytes.length : 0), 0);

/** Notes what became of an image of a client. */
async function counted(inspect: () => Promise<Inspected>): Promise<Inspected> {
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

/** Reads a file piece by piece: the SHA-256 of 20 MB in one go would hold everybody else up for 60 to 100 ms. */
async function digestFile(path: string): Promise<FileDigest> {
  const sha256 = createHash('sha256');
  let head = Buffer.alloc(0);
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    // Its first piece is longer than that, or all there is
    if (head.length === 0) head = Buffer.from(piece.subarray(0, sniffedBytes));
    sha256.update(piece);
  }
  return { hash: sha256.digest('hex'), head };
}

/** Names the sources of the textures that exceed the quota. */
function withSources({ kind, detail, hashes }: TextureQuotaExceeded, inspected: readonly Inspected[]): DomainError {
  const errors = inspected.flatMap(({ texture: { hash } }, index) =>
    hashes.includes(hash) ? [{ path: `sources.${index}`, message: detail }] : [],
  );
  return new DomainError(kind, detail, errors);
}

/** A stored texture as other services get it, without its key. */
const described = ({ hash, format, width, height, bytes, dominantRgb }: StoredTexture): Texture => ({
  hash,
  format,
  width,
  height,
  bytes,
  dominantRgb,
});

const uploadMissing = (): DomainError => notFetched('the upload is not there any more');
