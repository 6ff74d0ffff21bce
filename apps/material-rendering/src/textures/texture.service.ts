import { createHash } from 'node:crypto';
import type { Texture, TextureSource } from '#contracts';
import type { BlobStore } from '#storage';
import { Gate } from '../gate.js';
import type { TextureDecoder } from './decoder.js';
import { empty, notDecoded, notFetched, tooLarge, unsupportedFormat } from './texture.errors.js';
import type { Fetched, TextureFetcher } from './texture.fetcher.js';
import type { TextureRepository } from './texture.repository.js';
import { excessOf, sniff, textureKey, textureLimits } from './texture.js';

/** Pictures that may be in memory at once, up to 20 MB each. */
const takenAtOnce = 8;

/** Takes pictures of clients in: from an address or an upload to a checked, measured blob that may be drawn. */
export class TextureService {
  private readonly gate = new Gate({ of: 'texture', places: takenAtOnce, waiting: 24, patienceMs: 3_000 });

  constructor(
    private readonly fetcher: TextureFetcher,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly textures: TextureRepository,
  ) {}

  /**
   * Nothing is stored of a picture that is refused. The same bytes a second time are not decoded again.
   *
   * @throws DomainError `texture.*`, `service.overloaded`
   */
  async take(source: TextureSource): Promise<Texture> {
    try {
      return await this.gate.run(async () => this.store(await this.read(source)));
    } finally {
      if (source.kind === 'upload') await this.blobs.delete(source.key);
    }
  }

  private async read(source: TextureSource): Promise<Fetched> {
    if (source.kind === 'url') return this.fetcher.fetch(source.url);
    const facts = await this.blobs.facts(source.key);
    if (facts === null) throw notFetched('the upload is not there any more');
    const seen = `${facts.size} bytes`;
    if (facts.size > textureLimits.bytes) throw tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, seen);
    const bytes = await this.blobs.get(source.key);
    if (bytes === null) throw notFetched('the upload is not there any more');
    if (bytes.length === 0) throw empty(seen);
    return { bytes, seen };
  }

  private async store({ bytes, seen }: Fetched): Promise<Texture> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const known = await this.textures.find(hash);
    if (known !== null && (await this.blobs.has(textureKey(hash)))) return known;
    const texture = known ?? { hash, ...(await this.measure(bytes, seen)) };
    // The blob first: a row must never point to nothing. A blob without a row is found again by its hash
    await this.blobs.put(textureKey(hash), bytes);
    await this.textures.add(texture);
    return texture;
  }

  private async measure(bytes: Buffer, seen: string): Promise<Omit<Texture, 'hash'>> {
    const sniffed = sniff(bytes);
    if ('unsupported' in sniffed) throw unsupportedFormat(sniffed.unsupported, seen);
    const measurement = await this.decoder.measure(bytes);
    if (measurement.kind === 'too-large') throw tooLarge(measurement.reason, seen);
    if (measurement.kind === 'not-decoded') throw notDecoded(measurement.reason, seen);
    const { width, height, dominantRgb } = measurement;
    const excess = excessOf({ format: sniffed.supported, width, height });
    if (excess !== null) throw tooLarge(excess, seen);
    return { format: sniffed.supported, width, height, bytes: bytes.length, dominantRgb };
  }
}
