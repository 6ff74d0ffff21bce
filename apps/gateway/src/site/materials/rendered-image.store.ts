import { Injectable } from '@nestjs/common';
import { imageKey, imagePath, onDemandKey, parseImagePath, type Product, verifySignature } from '#contracts';
import { BlobStore } from '#storage';
import { GatewayEnv } from '../../env.js';

/** Rendered images of products, which material-rendering writes. */
@Injectable()
export class RenderedImageStore {
  constructor(
    private readonly blobs: BlobStore,
    private readonly env: GatewayEnv,
  ) {}

  /** Returns whether the sample image of every product is rendered. */
  async areComplete(products: readonly Pick<Product, 'sampleImageUrl'>[]): Promise<boolean> {
    const found = await Promise.all(products.map(({ sampleImageUrl }) => this.isRendered(sampleImageUrl)));
    return !found.includes(false);
  }

  private async isRendered(url: string): Promise<boolean> {
    const { searchParams } = new URL(url);
    const path = url.slice(`${this.env.BASE_URL}${imagePath}/`.length).split('?')[0]!;
    const image = parseImagePath(path, Object.fromEntries(searchParams));
    const signed = image && verifySignature(image, searchParams.get('h') ?? '', this.env.IMAGE_SIGNING_SECRET);
    if (!signed) return true;
    return (await this.blobs.has(imageKey(signed))) || (await this.blobs.has(onDemandKey(signed)));
  }
}
