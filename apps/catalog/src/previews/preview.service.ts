import { Injectable } from '@nestjs/common';
import {
  effectiveResizeMode,
  type PlacedArtwork,
  type Preview,
  type PreviewArtwork,
  type PreviewCreateResponse,
  previewUrl,
  type StoredPlacement,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CatalogSettings } from '../catalog.settings.js';
import { type JsonContext, jsonContextOf } from '../context.json.js';
import { ItemCache } from '../items/item.cache.js';
import { printWarnings } from '../materials/print-warning.rules.js';
import { PreviewSourceQueries } from './preview-source.queries.js';
import { placeOnItems, type PreviewedItem, type PreviewRequest, wantedPreviews } from './preview.rules.js';

/** Artwork of previews that are not signed yet. */
interface Drawing {
  readonly artwork: PreviewArtwork;
  readonly side: number;
  readonly oneOfMany: boolean;
}

/** Previews: images of items with an artwork that need no product. */
@Injectable()
export class PreviewService {
  private readonly context: JsonContext;

  constructor(
    private readonly settings: CatalogSettings,
    private readonly catalog: ItemCache,
    private readonly clients: QueueClients,
    private readonly sources: PreviewSourceQueries,
  ) {
    this.context = jsonContextOf(settings);
  }

  /**
   * Validates a request for previews and signs the URL of each. material-rendering renders them on
   * their first request.
   *
   * @throws DomainError 422 with the offending paths; material.not-found, material.not-owned;
   *   errors of material-rendering
   */
  async create(request: PreviewRequest): Promise<PreviewCreateResponse> {
    const wanted = wantedPreviews(await this.catalog.current(), request);
    const { items } = wanted;
    const artwork = await this.artworkOf(request);
    const placements = placeOnItems(wanted, artwork);
    const drawing = { artwork, side: request.size, oneOfMany: hasMany(items) };
    const products = items.map(({ item, resizeMode }, index) => ({
      item,
      resizeMode,
      placement: placements[index]!,
      prints: [],
    }));
    return {
      previews: items.flatMap((item, index) => this.previewsOf(item, placements[index]!, drawing)),
      warnings: printWarnings(artwork, products, request.language),
    };
  }

  private async artworkOf({ viewerId, materialId, texture }: PreviewRequest): Promise<PreviewArtwork> {
    const source =
      materialId === null
        ? texture!
        : ({ kind: 'stored', hash: await this.sources.textureHashOf(viewerId, materialId) } as const);
    return this.clients
      .of('material-rendering')
      .call('previews.prepare', { userId: viewerId, source })
      .catch((error: unknown) => {
        throw withTexturePath(error);
      });
  }

  private previewsOf(
    { item, resizeMode, colors, angles }: PreviewedItem,
    placement: StoredPlacement | null,
    drawing: Drawing,
  ): Preview[] {
    const { artwork, side, oneOfMany } = drawing;
    const { hash, key, width, height, expiresAt, sweepAt } = artwork;
    const { baseUrl, imageSigningSecret: secret } = this.settings;
    const shared = {
      itemName: item.name,
      layers: item.layers,
      side,
      place: item.defaultPrintPlace,
      resizeMode: effectiveResizeMode(item, resizeMode),
      placed: placement && placedOf(placement),
    };
    const texture = { hash, key, width, height };
    return colors.flatMap(({ name: color, rgb }) =>
      angles.map((angle) => {
        const image = { ...shared, angle, rgb, texture, oneOfMany, expiresAt, sweepAt };
        return {
          itemId: item.id,
          itemName: item.name,
          color,
          angle,
          width: side,
          height: side,
          imageUrl: previewUrl(baseUrl, image, secret),
          expiresAt: this.context.dateTime(new Date(1_000 * expiresAt)),
        };
      }),
    );
  }
}

const placedOf = ({ matrix, repeat, period }: StoredPlacement): PlacedArtwork => ({ matrix, repeat, period });

const hasMany = (items: readonly PreviewedItem[]): boolean =>
  items.length > 1 || items.some(({ colors, angles }) => colors.length * angles.length > 1);

/** Adds the path of the image to its rejection. Other errors stay unchanged. */
function withTexturePath(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.status !== 422) return error;
  const { kind, detail, headers } = error;
  return new DomainError(kind, `body.texture: ${detail}`, [{ path: 'body.texture', message: detail }], headers);
}
