import sharp from 'sharp';
import type { Created, Items, Storefront } from '#demo-shop';
import { makeMaterials } from '../render/materials.js';

/** Printed items: clothing with many colors, and goods with one. */
const itemNames = ['t-shirt', 'hoodie', 'mug', 'tote-bag', 'sticker'] as const;

/** Creates materials with five products, each from a different image of 2000 x 2000 pixels. */
export class MaterialCreator {
  private made = 0;

  private constructor(
    private readonly shop: Storefront,
    private readonly png: Buffer,
    private readonly products: readonly object[],
  ) {}

  static async of(shop: Storefront): Promise<MaterialCreator> {
    const [artwork] = await makeMaterials();
    return new MaterialCreator(shop, artwork!.bytes, productsOf(await shop.items()));
  }

  /** Returns the next request body; preparing it is not measured. */
  async next(): Promise<object> {
    const texture = await this.nextTexture();
    return { texture, title: `Material ${this.made}`, price: 100, products: this.products };
  }

  /**
   * Returns an image, as data URI, that no request before has contained. Its pixels differ, because
   * the same pixels with other metadata are the same texture.
   */
  async nextTexture(): Promise<string> {
    this.made += 1;
    const background = { r: this.made & 255, g: (this.made >> 8) & 255, b: 128 };
    const dot = { create: { width: 8, height: 8, channels: 3, background } } as const;
    const png = await sharp(this.png)
      .composite([{ input: dot, left: 0, top: 0 }])
      .png()
      .toBuffer();
    return `data:image/png;base64,${png.toString('base64')}`;
  }

  async create(): Promise<Created> {
    return this.shop.createMaterial(await this.next());
  }
}

function productsOf(items: Items): object[] {
  return itemNames.map((name) => {
    const item = items.find((it) => it.name === name);
    if (!item) throw new Error(`the catalog has no ${name}`);
    return { itemId: item.id, published: true };
  });
}
