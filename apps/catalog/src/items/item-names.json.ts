import { type ItemNames, type Language } from '#contracts';
import { type DisplayName } from './item.entity.js';
import { type StoredCatalog } from './item.queries.js';

interface Named {
  readonly name: string;
  readonly displayName: DisplayName;
}

/** Returns the reply to `items.names` in a language. */
export function itemNamesJson({ items, variants }: StoredCatalog, language: Language): string {
  const byName = (all: readonly Named[]) => Object.fromEntries(all.map((it) => [it.name, it.displayName[language]]));
  const names: ItemNames = {
    items: byName(items),
    colors: byName(variants.map(({ color }) => color)),
    sizes: byName(variants.map(({ size }) => size)),
    categories: byName(
      items.map(({ categoryName: name, categoryDisplayName: displayName }) => ({ name, displayName })),
    ),
  };
  return JSON.stringify(names);
}
