import { Injectable } from '@nestjs/common';
import { type ItemNames, type Language, type Product, toVisibleLine, type UserSummary } from '#contracts';
import { GatewayEnv } from '../../env.js';
import { PageRenderer } from '../pages/page-renderer.js';
import {
  pageSizes,
  type ResponsiveImage,
  imageOf,
  type ImageSize,
  fillImageUrl,
  type ImageView,
  previewSize,
} from './image.view.js';
import { type Price, priceOf } from './price.view.js';

/** A product in a grid. */
interface Card {
  readonly path: string;
  readonly title: string;
  readonly item: string;
  readonly creator: string;
  readonly userName: string;
  readonly image: ResponsiveImage;
  readonly price: Price;
  /** Its owner alone sees it. */
  readonly hidden: boolean;
}

/** An image for other sites, which want an absolute address. */
interface Preview extends ImageSize {
  readonly url: string;
}

/** The display name, or the user name when there is none with visible characters. */
export const creatorName = ({ displayName, name }: Pick<UserSummary, 'displayName' | 'name'>): string =>
  toVisibleLine(displayName) || name;

/** Addresses of this shop, and products as its pages show them. */
@Injectable()
export class ShopSite {
  private readonly origin: string;
  private readonly sizes: readonly [ImageSize, ...ImageSize[]];
  private readonly previewSize: ImageSize;

  constructor(
    private readonly env: GatewayEnv,
    private readonly pages: PageRenderer,
  ) {
    this.origin = new URL(env.BASE_URL).origin;
    this.sizes = pageSizes(env.IMAGE_SIZES);
    this.previewSize = previewSize(env.IMAGE_SIZES);
  }

  /** What a page links to: an address of the API without its origin, so that it works wherever the page was opened. */
  path(url: string): string {
    return url.startsWith(this.origin) ? url.slice(this.origin.length) : url;
  }

  /** The path of an address below the base address. */
  below(url: string): string {
    return url.slice(this.env.BASE_URL.length);
  }

  absolute(path: string): string {
    return `${this.origin}${path}`;
  }

  creator({ name }: Pick<UserSummary, 'name'>): string {
    return `${this.pages.base}/${name}`;
  }

  image({ imageUrl }: Product, view: ImageView): ResponsiveImage {
    return imageOf(this.path(imageUrl), view, this.sizes);
  }

  /** As JPEG, which every site reads. */
  preview({ imageUrl }: Product, view: ImageView): Preview {
    return { ...this.previewSize, url: fillImageUrl(imageUrl, view, this.previewSize, 'jpg') };
  }

  /** What a product's own image shows. */
  sample({ sampleItemVariant, examplaryAngle }: Product): ImageView {
    const { size, color } = sampleItemVariant;
    return { size: size.name, color: color.name, angle: examplaryAngle };
  }

  card(product: Product, names: ItemNames, language: Language): Card {
    const { material, item } = product;
    return {
      path: this.path(product.sampleUrl),
      title: toVisibleLine(material.title),
      item: names.items[item.name] ?? item.humanizeName,
      creator: creatorName(material.user),
      userName: material.user.name,
      image: this.image(product, this.sample(product)),
      price: priceOf(product, language),
      hidden: !product.published || material.violation,
    };
  }
}
