import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Texture, TextureSource } from '#contracts';
import type { DomainError } from '#kernel';
import { SpanKind, traced } from '#observability';
import type { BlobStore } from '#storage';
import { Gate } from '../gate.js';
import { ByteLimitedCache } from '../pipeline/byte-limited-cache.js';
import { refuseLate } from '../refuse-late.js';
import { failureOf, renderingMetrics } from '../rendering-metrics.js';
import type { TextureDecoder } from './decoder.js';
import { everySource } from './every-source.js';
import type { Measurement } from './measurement.js';
import { empty, notDecoded, notFetched, tooLarge, unsupportedFormat } from './texture.errors.js';
import type { TextureFetcher } from './texture.fetcher.js';
import type { TextureRepository } from './texture.repository.js';
import { excessOf, sniff, sniffedBytes, textureKey, textureLimits } from './texture.js';

/** Pictures that are looked at at once: one is decoded, and the others are hashed or wait for the decoder. */
const inspectedAtOnce = 8;
/** Pictures that are fetched at once. Apart from the others, so that slow servers hold up nobody but those who name them. */
const fetchedAtOnce = 24;

/** Bytes in the blob store that nobody has looked at; `seen` is what a server said of them. */
interface Upload {
  readonly key: string;
  readonly seen?: string;
}

/** What is read of a picture in this process: everything else is for a child to see. */
interface Glance {
  readonly hash: string;
  readonly head: Buffer;
}

/** An upload that is there, of a size that is allowed; `seen` says what arrived. */
interface Arrived {
  readonly bytes: number;
  readonly seen: string;
}

/** A picture that is good. `upload` is the key of its bytes when they have to be stored. */
interface Inspected {
  readonly texture: Texture;
  readonly upload: string | null;
}

/** Takes pictures of clients in: from an address or an upload to a checked, measured blob that may be drawn. */
export class TextureService {
  private readonly inspection = new Gate({ of: 'texture', places: inspectedAtOnce, waiting: 48, patienceMs: 6_000 });
  private readonly downloads = new Gate({ of: 'download', places: fetchedAtOnce, waiting: 24, patienceMs: 3_000 });

  /**
   * Who sends a picture that is being measured shares the result; who sends it before the first one's is stored finds it
   * here. A refusal is shared and not kept: a busy machine may have been the reason.
   */
  private readonly measurements = new ByteLimitedCache<Measurement>(256 * 1024, ({ kind }) =>
    kind === 'measured' ? 256 : Infinity,
  );

  constructor(
    private readonly fetcher: TextureFetcher,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly textures: TextureRepository,
  ) {}

  /**
   * Takes all pictures of a request, or none: the first pass only looks at them, the second one stores them when all are
   * good. The same bytes a second time are not decoded again. Uploads are removed in any case.
   *
   * @returns the texture of each source, in order
   * @throws DomainError `texture.*` with a `sources.<index>` for each refused one; `service.overloaded`,
   *   `service.no-answer`
   */
  async take(sources: readonly TextureSource[]): Promise<Texture[]> {
    const uploads = sources.flatMap((source) => (source.kind === 'upload' ? [source.key] : []));
    try {
      const inspected = await everySource(sources, (source) =>
        counted(async () => {
          const upload = source.kind === 'upload' ? { key: source.key } : await this.download(source.url, uploads);
          return this.inspection.run(() => this.inspect(upload));
        }),
      );
      await this.store(inspected);
      return inspected.map(({ texture }) => texture);
    } finally {
      await Promise.all(uploads.map((key) => this.blobs.delete(key)));
    }
  }

  /** Makes an upload of what an address holds. */
  private download(url: string, uploads: string[]): Promise<Upload> {
    return this.downloads.run(async () => {
      refuseLate();
      const key = `uploads/${randomUUID()}`;
      uploads.push(key);
      const seen = await traced('fetch texture', { kind: SpanKind.CLIENT }, () =>
        this.fetcher.fetch(url, (picture) => this.blobs.put(key, picture)),
      );
      return { key, seen };
    });
  }

  private async inspect(upload: Upload): Promise<Inspected> {
    refuseLate();
    const arrived = await this.find(upload);
    const inspected = await this.blobs.withFile(upload.key, async (path): Promise<Inspected> => {
      const glance = await glanceAt(path);
      const { hash } = glance;
      const known = await this.textures.find(hash);
      if (known !== null && (await this.blobs.has(textureKey(hash)))) return { texture: known, upload: null };
      return { texture: known ?? (await this.measure(path, arrived, glance)), upload: upload.key };
    });
    if (inspected === null) throw uploadGone();
    return inspected;
  }

  private async store(inspected: readonly Inspected[]): Promise<void> {
    refuseLate();
    const fresh = new Map<string, Inspected>();
    for (const one of inspected) if (one.upload !== null) fresh.set(one.texture.hash, one);
    // The blobs first: a row must never point to nothing. A blob without a row is found again by its hash
    for (const { texture, upload } of fresh.values()) {
      if (!(await this.blobs.move(upload!, textureKey(texture.hash)))) throw uploadGone();
    }
    await this.textures.add([...fresh.values()].map(({ texture }) => texture));
  }

  private async find({ key, seen }: Upload): Promise<Arrived> {
    const facts = await this.blobs.facts(key);
    if (facts === null) throw uploadGone();
    const size = `${facts.size} bytes`;
    if (facts.size > textureLimits.bytes) throw tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, size);
    if (facts.size === 0) throw empty(size);
    return { bytes: facts.size, seen: seen ?? size };
  }

  private async measure(path: string, { bytes, seen }: Arrived, { hash, head }: Glance): Promise<Texture> {
    const sniffed = sniff(head);
    if ('unsupported' in sniffed) throw unsupportedFormat(sniffed.unsupported, seen);
    const measurement = await this.measurements.get(hash, () =>
      traced('measure texture', { attributes: { bytes } }, () => this.decoder.measure(path)),
    );
    if (measurement.kind === 'too-large') throw tooLarge(measurement.reason, seen);
    if (measurement.kind === 'not-decoded') throw notDecoded(measurement.reason, seen);
    const { width, height, dominantRgb } = measurement;
    const excess = excessOf({ format: sniffed.supported, width, height });
    if (excess !== null) throw tooLarge(excess, seen);
    return { hash, format: sniffed.supported, width, height, bytes, dominantRgb };
  }
}

/** Notes what became of a picture of a client. */
async function counted(inspect: () => Promise<Inspected>): Promise<Inspected> {
  const { textures } = renderingMetrics();
  try {
    const inspected = await inspect();
    textures.inc({ outcome: inspected.upload === null ? 'known' : 'new' });
    return inspected;
  } catch (error) {
    textures.inc({ outcome: failureOf(error) });
    throw error;
  }
}

/** Reads a file piece by piece: the SHA-256 of 20 MB in one go would hold everybody else up for 60 to 100 ms. */
async function glanceAt(path: string): Promise<Glance> {
  const sha256 = createHash('sha256');
  let head = Buffer.alloc(0);
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    // Its first piece is longer than that, or all there is
    if (head.length === 0) head = Buffer.from(piece.subarray(0, sniffedBytes));
    sha256.update(piece);
  }
  return { hash: sha256.digest('hex'), head };
}

const uploadGone = (): DomainError => notFetched('the upload is not there any more');
