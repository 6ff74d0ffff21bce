import { type Category, type ItemNames, problems } from '#contracts';
import { DomainError } from '#kernel';
import type { ShopView } from './shop.view.js';

/** An item that products can be searched by. */
interface ItemFilter {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

/** A category with its items. */
interface ItemGroup {
  readonly label: string;
  readonly icon: string | undefined;
  readonly items: readonly ItemFilter[];
}

/**
 * Returns the categories with the items that products can be searched by. Omits embroidery items,
 * which have no images and no products, and categories of these items only.
 */
export function itemGroupsOf(categories: readonly Category[], names: ItemNames, shopView: ShopView): ItemGroup[] {
  return categories.flatMap(({ name, imageUrls, items }) => {
    const filters = items
      .filter(({ isEmbroidery }) => !isEmbroidery)
      .map((item) => ({ id: item.id, name: item.name, label: names.items[item.name] ?? item.humanizeName }));
    if (filters.length === 0) return [];
    const icon = imageUrls.svg === undefined ? undefined : shopView.path(imageUrls.svg);
    return [{ label: names.categories[name] ?? name, icon, items: filters }];
  });
}

/**
 * Returns the item of a search; undefined for an empty name, which searches all items.
 *
 * @throws DomainError `request.invalid` for an unknown item
 */
export function itemNamed(groups: readonly ItemGroup[], name: string): ItemFilter | undefined {
  if (name === '') return undefined;
  const item = groups.flatMap(({ items }) => items).find((it) => it.name === name);
  if (item) return item;
  const message = 'must be the name of an item';
  throw new DomainError(problems['request.invalid'], `query.item ${message}.`, [{ path: 'query.item', message }]);
}
