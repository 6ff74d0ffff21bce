import type { JsonPiece } from '#kernel';
import type { CatalogItem, CatalogSnapshot, CatalogVariant } from '../../../apps/catalog/src/items/catalog.snapshot.js';
import { type JsonContext, jsonContextOf } from '../../../apps/catalog/src/context.json.js';
import { bestPrice, type RunningSales } from '../../../apps/catalog/src/sales/sale.rules.js';

/** Columns of a product (`p`), its material (`m`) and its owner (`u`), as text. */
export const productColumns = `
  p.id, p.item_id, p.exemplary_variant_id, p.published, p.published_at, p.created_at, p.updated_at, p.resize_mode,
  p.prints, p.image_revision, m.id, m.title, m.description, m.price, m.violation, m.published, m.published_at,
  m.uploaded_at, extract(epoch from m.uploaded_at)::bigint, m.texture_format, m.dominant_rgb, m.original_width,
  m.original_height, u.id, u.name, u.display_name, u.avatar_url`;

/** Columns of a material and its owner. */
export const materialColumns = productColumns.slice(productColumns.indexOf('m.id'));
const firstOfMaterial = 10;

/** Values in the order of the columns. */
export type Row = readonly (string | null)[];

export interface FloorSettings {
  readonly baseUrl: string;
  readonly taxPercent: number;
  readonly imageSigningSecret: string;
}

/** Parts of the JSON of a product that depend on its variant only. */
interface PreparedVariant {
  readonly item: CatalogItem;
  readonly price: number;
  readonly images: string;
  readonly angleJson: string;
  /** Start of the image URL, up to the color. */
  readonly filled: string;
  readonly angles: readonly string[];
  readonly page: string;
}

const booleanJson = (text: string | null): string => (text === 't' ? 'true' : 'false');
const stringJson = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));
/** Converts `2026-10-01 12:00:00.123+00` into the date format of the API. */
const dateJson = (text: string | null): string => (text === null ? 'null' : `"${text.slice(0, 19)} +0000"`);

/** Serializes products by concatenation of prepared pieces and columns. */
export class FloorProducts {
  private readonly ready = new Map<number, PreparedVariant>();
  private readonly jsonContext: JsonContext;

  constructor(
    private readonly catalog: CatalogSnapshot,
    private readonly sales: RunningSales,
    private readonly settings: FloorSettings,
  ) {
    this.jsonContext = jsonContextOf({ ...settings, timeZone: 'UTC', dateTimeFormat: 'spec', cacheBytes: 0 });
  }

  /** Serializes a product of a list. @param variantId variant; default: the exemplary variant */
  product(row: Row, variantId = Number(row[2])): JsonPiece[] {
    return ['{', ...this.fields(row, variantId), '}'];
  }

  /** Serializes a product with all variants of its item. */
  detail(row: Row): JsonPiece[] {
    const { variantsJson } = this.catalog.item(Number(row[1]))!;
    return ['{', ...this.fields(row, Number(row[2])), ',"itemVariants":', variantsJson, '}'];
  }

  /** Serializes a material from the columns starting at `at`. */
  material(row: Row, at = 0): string {
    const price = Number(row[at + 3]);
    return (
      `{"id":${row[at]},"title":${stringJson(row[at + 1]!)},"description":${stringJson(row[at + 2]!)},"price":${price},` +
      `"priceWithTax":${this.withTax(price)},"violation":${booleanJson(row[at + 4]!)},"published":${booleanJson(row[at + 5]!)},` +
      `"publishedAt":${dateJson(row[at + 6]!)},"uploadedAt":${dateJson(row[at + 7]!)},"dominantRgb":${stringJson(row[at + 10]!)},` +
      `"originalWidth":${row[at + 11]},"originalHeight":${row[at + 12]},"user":{"id":${row[at + 13]},` +
      `"name":"${row[at + 14]}","displayName":${stringJson(row[at + 15]!)},"avatarUrl":${stringJson(row[at + 16]!)}}}`
    );
  }

  private fields(row: Row, variantId: number): JsonPiece[] {
    const { baseUrl } = this.settings;
    const variant = this.catalog.variant(variantId)!;
    const ready = this.readyOf(variant);
    const { item } = ready;
    if (row[8] !== '[]') throw new Error('the floor supports products without further prints only');
    const at = firstOfMaterial;
    const file = `${row[at]}/${row[at + 8]}-${row[at + 11]}x${row[at + 12]}.${row[at + 9] === 'jpeg' ? 'jpg' : 'png'}`;
    const revision = row[9] === '0' ? '' : `&v=${row[9]}`;
    const query = `?h=${this.jsonContext.signatureOf(file)}&printed=true${revision}"`;
    const plain = `${ready.filled}${ready.angles[0] ?? ''}/${file}`;
    const samples = ready.angles.map((angle) => `${ready.filled}${angle}/${file}.webp${query}`);
    const page = `${baseUrl}/${row[at + 14]}/${row[at]}/${item.name}/`;
    const price = ready.price + Number(row[at + 3]);
    const priceWithTax = this.withTax(price);
    const scope = { productId: Number(row[0]), itemId: item.id, userId: Number(row[at + 13]) };
    const discounted = bestPrice(priceWithTax, this.sales.discountsOf(scope));
    return [
      `"id":${row[0]},"title":${JSON.stringify(`${row[at + 1]} ${item.humanizeName}`)},"published":${booleanJson(row[3]!)},` +
        `"publishedAt":${dateJson(row[4]!)},"createdAt":${dateJson(row[5]!)},"updatedAt":${dateJson(row[6]!)},` +
        `"examplaryAngle":${ready.angleJson},"imageUrl":${ready.images}${file}.webp${query},` +
        `"sampleImageUrl":${plain}.webp${query},"pngSampleImageUrl":${plain}.png${query},` +
        `"sampleImageUrls":[${samples.join()}],"url":"${page}{size}/{color}","sampleUrl":"${page}${ready.page}",` +
        `"price":${price},"priceWithTax":${priceWithTax},"discountedPrice":${this.withoutTax(discounted)},` +
        `"discountedPriceWithTax":${discounted},"secret":false,"resizeMode":${stringJson(row[7]!)},"item":`,
      item.json,
      `,"material":${this.material(row, at)},"sampleItemVariant":`,
      variant.json,
    ];
  }

  private readyOf(variant: CatalogVariant): PreparedVariant {
    const known = this.ready.get(variant.id);
    if (known) return known;
    const item = this.catalog.item(variant.itemId)!;
    const images = `"${this.settings.baseUrl}/images/v1`;
    const printing = variant.printPlaces.find(({ place }) => place === item.defaultPrintPlace)?.price ?? 0;
    const ready = {
      item,
      price: variant.price + printing,
      images: `${images}/{width}x{height}/${item.name}/{size}/{color}[/angle]/`,
      angleJson: stringJson(item.essentialAngles[0] ?? null),
      filled: `${images}/500x500/${item.name}/${variant.size.name}/${variant.color.name}`,
      angles: item.essentialAngles.map((angle) => `/${angle}`),
      page: `${variant.size.name}/${variant.color.name}`,
    };
    this.ready.set(variant.id, ready);
    return ready;
  }

  private withTax(amount: number): number {
    return Math.floor((amount * (100 + this.settings.taxPercent)) / 100);
  }

  private withoutTax(amount: number): number {
    return Math.ceil((amount * 100) / (100 + this.settings.taxPercent));
  }
}
