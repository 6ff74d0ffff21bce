import { Injectable } from '@nestjs/common';
import { FairQueue } from '#concurrency';
import { projectPath } from '#config';
import { type PayloadOf, type PlacedArtwork, type ReplyOf, type Services } from '#contracts';
import { BlobStore } from '#storage';
import { callerTicket } from '../caller-ticket.js';
import { imageNotFound } from '../images/image.errors.js';
import { rejectLate } from '../late-request.js';
import { overloaded } from '../overload.errors.js';
import { preflight } from '#rendering/preflight/preflight.js';
import { type Cut } from '#rendering/print/cut.js';
import { type PrintArea } from '#rendering/print/print-area.js';
import { cmykProfileIn } from '#rendering/print/profiles.js';
import { rasterize } from '#rendering/print/raster.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureRepository } from '../textures/texture.repository.js';

type Rendering = Services['material-rendering'];
type Request = PayloadOf<Rendering, 'preflight.measure'>;
type Reply = ReplyOf<Rendering, 'preflight.measure'>;

const cmykProfile = cmykProfileIn(projectPath('libs/rendering/profiles'));

/** Checks prints of products. Stores nothing. */
@Injectable()
export class PreflightService {
  /** One at a time, because a place occupies up to 150 MB and takes seconds of processor time. */
  private readonly queue = new FairQueue({
    permits: 1,
    maxWaiting: 16,
    timeoutMs: 10_000,
    overloaded: () => overloaded('image'),
  });

  constructor(
    private readonly textures: TextureRepository,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * @throws DomainError `picture.not-found`, `service.overloaded`, and the errors of the decoder
   */
  measure({ places, colors }: Request): Promise<Reply> {
    return this.queue.run(async () => {
      const measured: Reply['places'] = [];
      for (const place of places) {
        rejectLate();
        measured.push(await this.measurePlace(place, colors));
      }
      return { places: measured };
    }, callerTicket('interactive'));
  }

  private async measurePlace(
    { place, dpi, textureHash, ...rest }: Request['places'][number],
    colors: Request['colors'],
  ): Promise<Reply['places'][number]> {
    const [texture, text] = await Promise.all([this.textures.find(textureHash), this.textures.textOf(textureHash)]);
    const report =
      texture &&
      (await this.blobs.withFile(texture.key, (path) => {
        const { width, height, animated = false } = texture;
        const source = { width, height, decode: (cut: Cut) => this.decoder.cut(path, cut) };
        const draw = (placed: PlacedArtwork, area: PrintArea) => rasterize(source, placed, area, cmykProfile);
        return preflight(
          { ...rest, artwork: { width, height }, animated, isText: text !== null, colors },
          { dpi, draw, cmykProfile },
        );
      }));
    if (!report) throw imageNotFound('the artwork is missing');
    const findings = report.findings.map(({ colors: unseen, ...it }) => ({
      ...it,
      ...(unseen && { colors: [...unseen] }),
    }));
    return { ...report, place, findings };
  }
}
