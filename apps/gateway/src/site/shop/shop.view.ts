import { Injectable } from '@nestjs/common';
import { type ItemNames, type Language, type Product, toVisibleLine, type UserSummary } from '#contracts';
import { GatewayEnv } from '../../env.js';
import { PageRenderer } from '../pages/page-renderer.js';
import {
  pageSizes,
  type Picture,
  pictureOf,
  type PictureSize,
  pictureUrl,
  type PictureView,
  previewSize,
} from './image.view.js';
import { type Price, priceOf } from './price.view.js';

/** A product in a grid. */
interface Card {
  readonly path: string;
  readonly title: string;
  readonly item: string;
  readonly maker: string;
  readonly userName: string;
  readonly picture: Picture;
  readonly price: Price;
  /** Its owner alone sees it. */
  readonly hidden: boolean;
}

/** A picture for other sites, which want an absolute address. */
interface Preview extends PictureSize {
  readonly url: string;
}

/** The display name, or the user name when there is none with visible characters. */
export const creatorName = ({ displayName, name }: Pick<UserSummary, 'displayName' | 'name'>): string =>
  toVisibleLine(displayName) || name;

/** Addresses of this shop, and products as its pages show them. */
@Injectable()
export class ShopSite {
  private readonly origin: string;
  private readonly sizes: readonly [PictureSize, ...PictureSize[]];
  private readonly previewSize: PictureSize;

  constructor(
    private readonly env: GatewayEnv,
    private readonly pages: PageRenderer,
  ) {
    this.origin = new URL(env.BASE_URL).origin;
    this.sizes = pageSizes(env.PICTURE_SIZES);
    this.previewSize = previewSize(env.PICTURE_SIZES);
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

  maker({ name }: Pick<UserSummary, 'name'>): string {
    return `${this.pages.base}/${name}`;
  }

  picture({ imageUrl }: Product, view: PictureView): Picture {
    return pictureOf(this.path(imageUrl), view, this.sizes);
  }

  /** As JPEG, which every site reads. */
  preview({ imageUrl }: Product, view: PictureView): Preview {
    return { ...this.previewSize, url: pictureUrl(imageUrl, view, this.previewSize, 'jpg') };
  }

  /** What a product's own picture shows. */
  sample({ sampleItemVariant, examplaryAngle }: Product): PictureView {
    const { size, color } = sampleItemVariant;
    return { size: size.name, color: color.name, angle: examplaryAngle };
  }

  card(product: Product, names: ItemNames, language: Language): Card {
    const { material, item } = product;
    return {
      path: this.path(product.sampleUrl),
      title: toVisibleLine(material.title),
      item: names.items[item.name] ?? item.humanizeName,
      maker: creatorName(material.user),
      userName: material.user.name,
      picture: this.picture(product, this.sample(product)),
      price: priceOf(product, language),
      hidden: !product.published || material.violation,
    };
  }
}
