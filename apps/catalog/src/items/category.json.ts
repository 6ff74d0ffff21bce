import { type StoredItem } from './item.queries.js';

/** An enabled item: the row, its icons, and the Item as JSON. */
export interface CategoryItem {
  readonly stored: StoredItem;
  readonly iconUrls: Readonly<Record<string, string>>;
  readonly json: string;
}

/**
 * Returns the body of `GET /categories` (docs/specification.md 2.11): the categories with at least
 * one enabled item, in display order, each with the icon of its first item.
 *
 * @param items enabled items in display order
 */
export function categoriesJson(items: readonly CategoryItem[]): string {
  const categories = new Map<string, CategoryItem[]>();
  for (const item of items.toSorted((one, other) => categoryOrder(one) - categoryOrder(other))) {
    const members = categories.get(item.stored.categoryName);
    if (members) members.push(item);
    else categories.set(item.stored.categoryName, [item]);
  }
  const written = [...categories].map(
    ([name, members]) =>
      `{"name":${JSON.stringify(name)},"imageUrls":${JSON.stringify(members[0]!.iconUrls)},` +
      `"items":[${members.map(({ json }) => json).join()}]}`,
  );
  return `{"categories":[${written.join()}]}`;
}

const categoryOrder = ({ stored }: CategoryItem): number => stored.categoryDisplayOrder;
