import {
  type ItemNames,
  type ItemVariant,
  type Language,
  type ProductDetail,
  type ReplyOf,
  type Services,
} from '#contracts';
import type { ResponsiveImage, ImageView } from './image.view.js';
import { priceOf } from './price.view.js';
import type { ShopWords } from './shop.texts.js';
import { creatorName, type ShopView } from './shop.view.js';
import { variantChoice } from './variant.view.js';

export type FoundProduct = ReplyOf<Services['catalog'], 'products.find'>;
export type Favorites = ReplyOf<Services['social'], 'favorites.stamps'>;

/**
 * A link that selects a color, a size or an angle. Its path has its own id as fragment, so that the
 * new page has the same position and focus.
 */
interface Option {
  readonly id: string;
  readonly path: string;
  readonly label: string;
  readonly current: boolean;
}

/** Side of the square view box of the stamps. Integer coordinates keep the page small. */
const stampField = 1_000;

/** Radius of a stamp in the view box. */
const stampRadius = 34;
/** Moves a stamp that the edge of the image would cut. */
const clampStamp = (position: number): number => Math.min(Math.max(position, stampRadius), stampField - stampRadius);

const summaryLength = 200;
/** Shortens a text of a user to one line, for previews at other sites. */
function toSummary(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const points = Array.from(line.slice(0, 2 * summaryLength));
  return points.length > summaryLength ? `${points.slice(0, summaryLength - 1).join('')}…` : line;
}

/** View of the page of a product, in one variant and from one angle. */
export class ProductView {
  readonly title: string;
  readonly creator: string;
  readonly product: ProductDetail;
  private readonly item: string;
  private readonly variant: ItemVariant;
  /** Null for the default angle of the product. */
  private readonly angle: string | null;

  constructor(
    private readonly shopView: ShopView,
    private readonly found: FoundProduct,
    readonly names: ItemNames,
    private readonly language: Language,
    angle: unknown,
  ) {
    const { product } = found;
    const { item, material, sampleItemVariant } = product;
    this.product = product;
    this.item = names.items[item.name] ?? item.humanizeName;
    this.title = shopView.title(product, names);
    this.creator = creatorName(material.user);
    this.variant = sampleItemVariant;
    const known = item.angles.find((name) => name === angle) ?? null;
    this.angle = known === product.examplaryAngle ? null : known;
  }

  /**
   * Returns the data of the template.
   *
   * @param favorites null if they are unavailable
   */
  data(words: ShopWords, favorites: Favorites | null): object {
    const { product, shopView } = this;
    const { material } = product;
    const price = priceOf(product, this.language);
    const address = shopView.absolute(this.path(this.variant, null));
    const angle = this.shownAngle;
    const colorName = this.colorName(this.variant);
    const hidden = !product.published || material.violation;
    const alt = words.image(this.title, colorName, angle === null ? '' : (words.angles[angle] ?? angle));
    return {
      product,
      price,
      alt,
      variantId: this.variant.id,
      offered: this.variant.enabled,
      itemName: this.item,
      productTitle: this.title,
      creator: this.creator,
      userName: material.user.name,
      avatar: shopView.avatar(material.user),
      creatorPath: shopView.creator(material.user),
      colorName,
      sizeName: this.sizeName(this.variant),
      hidden,
      buy: this.variant.enabled && !hidden ? shopView.buy(product, this.variant) : undefined,
      image: this.image(angle),
      preview: shopView.preview(product, this.imageView(angle)),
      address,
      canonical: shopView.absolute(this.path(this.representative, null)),
      oembed: shopView.oembed(address),
      summary: toSummary(material.description ?? '') || words.summary(this.title, this.creator, price.now),
      structuredData: this.structuredData(),
      sizeNames: [...new Set(product.itemVariants.filter((it) => it.enabled).map((it) => this.sizeName(it)))],
      printAreas: this.printAreas(words),
      ...this.options(words),
      ...(favorites ? this.stamps(words, favorites) : { stampField, favorites: null, stamps: [] }),
    };
  }

  /** Returns the product as JSON-LD (schema.org), escaped for a script element. */
  private structuredData(): string {
    const { product, shopView, variant } = this;
    const url = shopView.absolute(this.path(variant, null));
    const data = {
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: this.title,
      sku: `${product.id}-${variant.id}`,
      image: shopView.preview(product, this.imageView(null)).url,
      color: this.colorName(variant),
      size: this.sizeName(variant),
      ...(product.material.description !== null && { description: product.material.description }),
      brand: { '@type': 'Brand', name: this.creator },
      offers: {
        '@type': 'Offer',
        url,
        price: product.discountedPriceWithTax,
        priceCurrency: 'JPY',
        availability: `https://schema.org/${variant.enabled ? 'InStock' : 'OutOfStock'}`,
      },
    };
    return JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  }

  /** Variant whose page search engines show for all variants. */
  private get representative(): ItemVariant {
    const { product, representativeVariantId } = this.found;
    return product.itemVariants.find(({ id }) => id === representativeVariantId) ?? this.variant;
  }

  private printAreas(words: ShopWords): readonly string[] {
    const number = new Intl.NumberFormat(this.language);
    const areas = this.names.printAreas[this.product.item.name] ?? [];
    return areas.map(({ place, widthMm, heightMm }) =>
      words.millimetres(place, number.format(widthMm), number.format(heightMm)),
    );
  }

  private get shownAngle(): string | null {
    return this.angle ?? this.product.examplaryAngle;
  }

  private colorName({ color }: ItemVariant): string {
    return this.names.colors[color.name] ?? color.displayName;
  }

  private sizeName({ size }: ItemVariant): string {
    return this.names.sizes[size.name] ?? size.displayName;
  }

  private path({ size, color }: ItemVariant, angle: string | null): string {
    const path = this.shopView.path(this.product.url).replace('{size}', size.name).replace('{color}', color.name);
    return angle === null ? path : `${path}?angle=${encodeURIComponent(angle)}`;
  }

  private option(id: string, variant: ItemVariant, angle: string | null): Pick<Option, 'id' | 'path'> {
    return { id, path: `${this.path(variant, angle)}#${id}` };
  }

  private imageView(angle: string | null): ImageView {
    return { size: this.variant.size.name, color: this.variant.color.name, angle };
  }

  private image(angle: string | null): ResponsiveImage {
    return this.shopView.image(this.product, this.imageView(angle));
  }

  private options(words: ShopWords) {
    const { variant, product } = this;
    const { colors, sizes } = variantChoice(product.itemVariants, variant);
    const { examplaryAngle } = product;
    return {
      colors: colors.map((it): Option & { rgb: string } => ({
        ...this.option(`color-${it.color.name}`, it, this.angle),
        label: this.colorName(it),
        rgb: it.color.rgb,
        current: it.id === variant.id,
      })),
      sizes: sizes.map((it): Option => ({
        ...this.option(`size-${it.size.name}`, it, this.angle),
        label: this.sizeName(it),
        current: it.id === variant.id,
      })),
      angles: product.item.angles.map((angle): Option & { image: ResponsiveImage } => ({
        ...this.option(`angle-${angle}`, variant, angle === examplaryAngle ? null : angle),
        label: words.angles[angle] ?? angle,
        current: angle === this.shownAngle,
        image: this.image(angle),
      })),
    };
  }

  private stamps(words: ShopWords, { totalCount, stamps }: Favorites) {
    const number = new Intl.NumberFormat(this.language).format(totalCount);
    const favorites = totalCount === 0 ? words.noFavorites : words.favorites(number);
    return {
      stampField,
      favorites: totalCount === 1 ? words.oneFavorite : favorites,
      stamps: stamps.map(({ x, y, rotation }) => {
        const [across, down] = [x, y].map((share) => clampStamp(Math.round(share * stampField)));
        return `translate(${across} ${down}) rotate(${rotation})`;
      }),
    };
  }
}
