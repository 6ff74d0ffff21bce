import { crc32 } from 'node:zlib';
import type { Created, Items, Storefront } from '#demo-shop';
import { makeMaterials } from '../render/materials.js';

/** Printed items: clothing with many colors, and goods with one. */
const itemNames = ['t-shirt', 'hoodie', 'mug', 'tote-bag', 'sticker'] as const;

/** Creates materials with five products, each from a different file of 2000 x 2000 pixels. */
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
  next(): object {
    this.made += 1;
    const image = withNote(this.png, `number ${this.made}`).toString('base64');
    const title = `Material ${this.made}`;
    return { texture: `data:image/png;base64,${image}`, title, price: 100, products: this.products };
  }

  create(): Promise<Created> {
    return this.shop.createMaterial(this.next());
  }
}

function productsOf(items: Items): object[] {
  return itemNames.map((name) => {
    const item = items.find((it) => it.name === name);
    if (!item) throw new Error(`the catalog has no ${name}`);
    return { itemId: item.id, published: true };
  });
}

const signatureAndHeader = 8 + 25;

/** Returns a PNG with an added text chunk: same pixels, different bytes. */
function withNote(png: Buffer, text: string): Buffer {
  const body = Buffer.from(`tEXtComment\0${text}`, 'latin1');
  const chunk = Buffer.alloc(4 + body.length + 4);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), 4 + body.length);
  return Buffer.concat([png.subarray(0, signatureAndHeader), chunk, png.subarray(signatureAndHeader)]);
}
