import { readFile } from 'node:fs/promises';
import { projectPath } from '#config';
import type { PlannedMaterial } from './plan.js';
import type { Created, Items, Storefront } from './storefront.js';

/**
 * Uploads one bundled artwork with its products through the API.
 *
 * @throws Error if the catalog lacks an item or its color, or the upload is rejected
 */
export async function uploadPlanned(shop: Storefront, items: Items, material: PlannedMaterial): Promise<Created> {
  const image = await readFile(projectPath('libs/demo-shop/artwork', material.file), 'base64');
  const type = material.file.endsWith('.jpg') ? 'image/jpeg' : 'image/png';
  const products = material.products.map(({ item: name, color, resizeMode }) => {
    const item = items.find((it) => it.name === name);
    if (!item) throw new Error(`the catalog has no ${name}`);
    const variant = item.variants.find((it) => it.color.name === color);
    if (color !== undefined && !variant) throw new Error(`the catalog has no ${color} ${name}`);
    return { itemId: item.id, published: true, exemplaryItemVariantId: variant?.id, resizeMode };
  });
  const { title, price } = material;
  return shop.createMaterial({ texture: `data:${type};base64,${image}`, title, price, products });
}
