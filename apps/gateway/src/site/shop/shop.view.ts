import { Injectable } from '@nestjs/common';
import {
  type Banner,
  type Choice,
  type ItemNames,
  type ItemVariant,
  type Language,
  type Product,
  type ExternalImage,
  externalImagePath,
  toVisibleLine,
  type User,
  type UserSummary,
} from '#contracts';
import { GatewayEnv } from '../../env.js';
import { PageRenderer } from '../pages/page-renderer.js';
import {
  pageSizes,
  type ResponsiveImage,
  responsiveImage,
  type ImageSize,
  fillImageUrl,
  type ImageView,
  previewSize,
  sizeWithin,
} from './image.view.js';
import { type Price, priceOf } from './price.view.js';

/** A product in a list. */
export interface Card {
  readonly productId: number;
  /** Id of the variant that the card shows. */
  readonly variantId: number;
  readonly path: string;
  readonly title: string;
  readonly item: string;
  readonly creator: string;
  readonly userName: string;
  readonly image: ResponsiveImage;
  readonly price: Price;
  /** Visible to its owner only. */
  readonly hidden: boolean;
  /** Hidden because of a violation of the rules. */
  readonly violation: boolean;
  /** A favorite of the viewer. */
  readonly isFavorite: boolean;
}

/** Preview image for other sites, with an absolute URL. */
interface Preview extends ImageSize {
  readonly url: string;
}

/** Returns the display name, or the user name if the display name has no visible characters. */
export const creatorName = ({ displayName, name }: Pick<UserSummary, 'displayName' | 'name'>): string =>
  toVisibleLine(displayName) || name;

/** Builds the addresses of the shop pages, and the view data of products. */
@Injectable()
export class ShopView {
  private readonly origin: string;
  /** Origins of this site and of its CDN. */
  private readonly ownOrigins: readonly string[];
  private readonly sizes: readonly [ImageSize, ...ImageSize[]];
  private readonly previewSize: ImageSize;

  constructor(
    private readonly env: GatewayEnv,
    private readonly pages: PageRenderer,
  ) {
    this.origin = new URL(env.BASE_URL).origin;
    this.ownOrigins = [env.BASE_URL, env.IMAGES_CDN_URL].flatMap((url) =>
      url === undefined ? [] : new URL(url).origin,
    );
    this.sizes = pageSizes(env.IMAGE_SIZES);
    this.previewSize = previewSize(env.IMAGE_SIZES);
  }

  /** Removes the origin from a URL of the API, so that links work at any origin. */
  path(url: string): string {
    return url.startsWith(`${this.origin}/`) ? url.slice(this.origin.length) : url;
  }

  /** Returns the path of a URL relative to the base address. */
  relativePath(url: string): string {
    return url.slice(this.env.BASE_URL.length);
  }

  absolute(path: string): string {
    return `${this.origin}${path}`;
  }

  creator({ name }: Pick<UserSummary, 'name'>): string {
    return `${this.pages.base}/${name}`;
  }

  /** Returns the address of the oEmbed document of a page. */
  oembed(url: string): string {
    return `${this.env.BASE_URL}/oembed?format=json&url=${encodeURIComponent(url)}`;
  }

  /** Returns the address at which a variant is sold; undefined without the setting. */
  buy({ id, item }: Product, { size, color }: ItemVariant): string | undefined {
    return this.env.BUY_URL?.({ product: String(id), item: item.name, size: size.name, color: color.name });
  }

  avatar({ id, avatarUrl }: Pick<UserSummary, 'id' | 'avatarUrl'>): string | null {
    return this.copy({ userId: id, kind: 'avatar', id }, avatarUrl);
  }

  header({ id, profile }: Pick<User, 'id' | 'profile'>): string | null {
    return this.copy({ userId: id, kind: 'header', id }, profile.headerUrl);
  }

  choiceBanner({ id, user, bannerUrl }: Choice): string | null {
    return this.copy({ userId: user.id, kind: 'choice', id }, bannerUrl);
  }

  /** Returns whether an image is of this site or its CDN, and needs no copy. */
  isOwnImage({ imageUrl }: Pick<Banner, 'imageUrl'>): boolean {
    return this.ownOrigins.includes(new URL(imageUrl).origin);
  }

  banner(banner: Banner): string {
    const { id, imageUrl: url } = banner;
    if (this.isOwnImage(banner)) return this.path(url);
    return `${this.pages.base}${externalImagePath({ userId: 0, kind: 'banner', id, url })}`;
  }

  /**
   * Returns the address of this site's copy of an external image; null without an image. The
   * Content-Security-Policy forbids images of other hosts, so that none learns who visits the shop.
   */
  private copy(owner: Omit<ExternalImage, 'url'>, url: string | null): string | null {
    return url === null ? null : `${this.pages.base}${externalImagePath({ ...owner, url })}`;
  }

  image({ imageUrl }: Product, view: ImageView): ResponsiveImage {
    return responsiveImage(this.path(imageUrl), view, this.sizes);
  }

  /** JPEG, because every site can read it. */
  preview({ imageUrl }: Product, view: ImageView): Preview {
    return { ...this.previewSize, url: fillImageUrl(imageUrl, view, this.previewSize, 'jpg') };
  }

  /** Returns a preview within the limits in pixels; undefined if no size is small enough. */
  previewWithin(product: Product, maxWidth: number, maxHeight: number): Preview | undefined {
    const size = sizeWithin(this.env.IMAGE_SIZES, maxWidth, maxHeight);
    return size && { ...size, url: fillImageUrl(product.imageUrl, this.sample(product), size, 'jpg') };
  }

  /** Returns the variant and angle of the sample image of a product. */
  sample({ sampleItemVariant, examplaryAngle }: Product): ImageView {
    const { size, color } = sampleItemVariant;
    return { size: size.name, color: color.name, angle: examplaryAngle };
  }

  /** Returns the title of a product page: the title of the material and the name of the item. */
  title({ material, item }: Product, names: ItemNames): string {
    return `${toVisibleLine(material.title)} ${names.items[item.name] ?? item.humanizeName}`;
  }

  card(product: Product, names: ItemNames, language: Language, isFavorite: boolean): Card {
    const { material, item } = product;
    return {
      productId: product.id,
      variantId: product.sampleItemVariant.id,
      path: this.path(product.sampleUrl),
      title: toVisibleLine(material.title),
      item: names.items[item.name] ?? item.humanizeName,
      creator: creatorName(material.user),
      userName: material.user.name,
      image: this.image(product, this.sample(product)),
      price: priceOf(product, language),
      hidden: !product.published || material.violation,
      violation: material.violation,
      isFavorite,
    };
  }
}
