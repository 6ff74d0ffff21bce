import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { externalImageKey, type LinkedBanner } from '#contracts';
import { Log } from '#observability';
import { QueueClients, runShared } from '#request-queue';
import { BlobStore } from '#storage';
import { ShopView } from './shop.view.js';

/**
 * Time after which a copy is looked for again. The front page is the page with the most requests,
 * and each look for a missing copy requests it from the other host.
 */
const checkIntervalMs = 60_000;

interface BannerView {
  readonly path: string;
  readonly altText: string;
  readonly linkPath: string | null;
}

/** Copies of banner images of other hosts. */
@Injectable()
export class BannerStore {
  /** Whether the copy with a key is stored. */
  private readonly copies = new Cache<boolean>({
    name: 'banner-copies',
    maxBytes: 1024 ** 2,
    bytesOf: () => 8,
    ttlMs: () => checkIntervalMs,
  });

  constructor(
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly log: Log,
  ) {}

  /**
   * Returns the banners whose images exist, so that an image that cannot be fetched leaves no empty
   * box. Requests the missing copies for later pages.
   */
  async viewsOf(banners: readonly LinkedBanner[]): Promise<BannerView[]> {
    const isShown = await Promise.all(banners.map((banner) => this.isShown(banner)));
    return banners
      .filter((_, index) => isShown[index])
      .map((banner) => ({
        path: this.shopView.banner(banner),
        altText: banner.altText ?? '',
        linkPath: banner.linkUrl ? this.shopView.path(banner.linkUrl) : null,
      }));
  }

  private async isShown(banner: LinkedBanner): Promise<boolean> {
    return this.shopView.isOwnImage(banner) || this.copies.load(keyOf(banner), () => this.has(banner));
  }

  /** Returns whether the copy is stored; requests a missing one. */
  private async has(banner: LinkedBanner): Promise<boolean> {
    const isStored = await this.isStored(banner);
    if (!isStored) void runShared(() => this.requestCopy(banner));
    return isStored;
  }

  private async isStored(banner: LinkedBanner): Promise<boolean> {
    try {
      return await this.blobs.has(keyOf(banner));
    } catch (error) {
      this.log.debug({ err: error }, 'Blob store is unavailable, front page shown without a banner');
      return false;
    }
  }

  private async requestCopy(banner: LinkedBanner): Promise<void> {
    try {
      await this.clients.of('material-rendering').call('external-images.store', imageOf(banner));
      this.copies.set(keyOf(banner), true);
    } catch (error) {
      this.log.debug({ err: error }, `The image of banner ${banner.id} could not be fetched`);
    }
  }
}

const imageOf = ({ id, imageUrl: url }: LinkedBanner) => ({ userId: 0, kind: 'banner', id, url }) as const;
const keyOf = (banner: LinkedBanner): string => externalImageKey(imageOf(banner));
