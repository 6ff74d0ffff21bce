import { Injectable } from '@nestjs/common';
import { type Banner, externalImageKey } from '#contracts';
import { Log } from '#observability';
import { QueueClients, runShared } from '#request-queue';
import { BlobStore } from '#storage';
import { ShopView } from './shop.view.js';

/** Time between two checks of a copy: the front page is the page with the most requests. */
const checkIntervalMs = 10_000;

interface Check {
  readonly isStored: boolean;
  readonly expiresAt: number;
}

/** Copies of banner images of other hosts. */
@Injectable()
export class BannerStore {
  /** Latest check of each copy by its key. */
  private checks: ReadonlyMap<string, Check> = new Map();

  constructor(
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly log: Log,
  ) {}

  /**
   * Returns the paths of the images that exist, so that an image that cannot be fetched leaves no
   * empty box. Requests the missing copies for later pages.
   */
  async paths(banners: readonly Banner[]): Promise<string[]> {
    const found = await Promise.all(banners.map(async (banner) => [banner, await this.check(banner)] as const));
    this.checks = new Map(found.map(([banner, check]) => [keyOf(banner), check]));
    return found.flatMap(([banner, { isStored }]) => (isStored ? this.shopView.banner(banner) : []));
  }

  private async check(banner: Banner): Promise<Check> {
    const known = this.checks.get(keyOf(banner));
    if (known && known.expiresAt > Date.now()) return known;
    const isStored = this.shopView.isOwnImage(banner) || (await this.isStored(banner));
    if (!isStored) void runShared(() => this.requestCopy(banner));
    return { isStored, expiresAt: Date.now() + checkIntervalMs };
  }

  private async isStored(banner: Banner): Promise<boolean> {
    try {
      return await this.blobs.has(keyOf(banner));
    } catch (error) {
      this.log.debug({ err: error }, 'Blob store is unavailable, front page shown without a banner');
      return false;
    }
  }

  private async requestCopy(banner: Banner): Promise<void> {
    try {
      await this.clients.of('material-rendering').call('external-images.store', imageOf(banner));
    } catch (error) {
      this.log.debug({ err: error }, `The image of banner ${banner.id} could not be fetched`);
    }
  }
}

const imageOf = ({ id, imageUrl: url }: Banner) => ({ userId: 0, kind: 'banner', id, url }) as const;
const keyOf = (banner: Banner): string => externalImageKey(imageOf(banner));
