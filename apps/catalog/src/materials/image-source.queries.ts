import { Injectable } from '@nestjs/common';
import {
  effectiveResizeMode,
  type ImageSource,
  type PlacedArtwork,
  type ResizeMode,
  type StoredPlacement,
} from '#contracts';
import { Database } from '#persistence';
import { imageRevisionOf } from '../items/catalog.snapshot.js';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant, ItemCache } from '../items/item.cache.js';
import { catalogForRows } from '../products/catalog-for-rows.snapshot.js';
import { type ProductPrint } from '../products/product.rules.js';
import { filePathOfRow, type UploadedRow } from './material.json.js';
import { materialNotFound } from './material.errors.js';

type ImageRow = UploadedRow & {
  readonly textureHash: string;
  readonly variantId: number | null;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  readonly revision: number;
  readonly itemVersion: number | null;
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
};

type ImageProduct = ImageSource['products'][number];

/** Reads the data that material-rendering needs to render the images of a material. */
@Injectable()
export class ImageSourceQueries {
  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCache,
  ) {}

  /**
   * Returns the data for the images of a material and of its products, published or not: the caller
   * checks permissions. Not cached, so that an image URL with a new revision is valid as soon as a
   * client has it.
   *
   * @param itemName omits the products of other items
   * @throws DomainError material.not-found, also for a material with a violation, whose images are
   *   deleted
   */
  async imageSourceOf(materialId: number, itemName?: string): Promise<ImageSource> {
    const rows = await this.database.read<ImageRow>(
      `select m.id as "materialId", m.uploaded_at as "uploadedAt", m.original_width as "originalWidth",
         m.original_height as "originalHeight", m.texture_format as "textureFormat", m.texture_hash as "textureHash",
         p.exemplary_variant_id as "variantId", p.published, p.resize_mode as "resizeMode", p.placement, p.prints, p.image_revision as revision,
         i.version as "itemVersion"
       from materials m left join products p on p.material_id = m.id left join items i on i.id = p.item_id
       where m.id = $1 and not m.violation
       order by p.id`,
      [materialId],
    );
    const catalog = await catalogForRows(rows, this.catalog);
    const [first] = rows;
    if (!first) throw materialNotFound(materialId);
    const products = rows.flatMap((row) => imageProductOf(row, catalog));
    return {
      materialId,
      filePath: filePathOfRow(first),
      textureHash: first.textureHash,
      products: products.filter((product) => itemName === undefined || product.itemName === itemName),
    };
  }
}

/** Returns an empty array for the row of a material without products. */
function imageProductOf(row: ImageRow, catalog: CatalogSnapshot): ImageProduct[] {
  const sample = row.variantId === null ? undefined : catalog.variant(row.variantId);
  const item = sample && catalog.item(sample.itemId);
  if (!item) return [];
  return [
    {
      itemName: item.name,
      layers: item.layers,
      revision: imageRevisionOf(row.revision, item),
      published: row.published,
      resizeMode: effectiveResizeMode(item, row.resizeMode),
      ...placedOf(row.placement),
      prints: row.prints
        .filter(({ enabled }) => enabled)
        .map(({ place, textureHash, placement }) => ({ place, textureHash, ...placedOf(placement) })),
      defaultPrintPlace: item.defaultPrintPlace,
      cmykPlaces: item.availablePrintPlaces.filter((place) => item.printing[place]?.colorSpace === 'cmyk'),
      ...itemImages(item, sample),
    },
  ];
}

/** Returns an empty object for an image without a placement. */
function placedOf(placement: StoredPlacement | null | undefined): { placed?: PlacedArtwork } {
  if (!placement) return {};
  const { matrix, repeat, period } = placement;
  return { placed: { matrix, repeat, period } };
}

/**
 * Returns the colors, sizes and angles that image URLs of the item may contain, and those of the
 * sample image.
 */
function itemImages(item: CatalogItem, sample: CatalogVariant) {
  const colors = new Map(item.variants.map(({ color }) => [color.name, color.rgb]));
  return {
    colors: [...colors].map(([name, rgb]) => ({ name, rgb })),
    sizes: [...new Set(item.variants.map(({ size }) => size.name))],
    angles: [...item.angles],
    essentialAngles: [...item.essentialAngles],
    sample: {
      size: sample.size.name,
      color: sample.color.name,
      angle: item.essentialAngles[0] ?? item.angles[0] ?? item.defaultPrintPlace,
    },
  };
}
