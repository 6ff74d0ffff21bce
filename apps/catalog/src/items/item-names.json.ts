import { type ItemNames, type Language, type ResizeMode } from '#contracts';
import { type DisplayName } from './item.entity.js';
import { type StoredCatalog, type StoredItem } from './item.queries.js';

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
    printAreas: Object.fromEntries(items.map((item) => [item.name, printAreasOf(item, language)])),
    resizeModes: Object.fromEntries(items.map((item) => [item.name, item.resizeModes as ResizeMode[]])),
  };
  return JSON.stringify(names);
}

const printAreasOf = (
  { availablePrintPlaces, printPlaceDisplayNames, printAreas }: StoredItem,
  language: Language,
): ItemNames['printAreas'][string] =>
  availablePrintPlaces.map((name) => {
    const { width, height } = printAreas[name]!.millimetres;
    return { place: printPlaceDisplayNames[name]![language], widthMm: width, heightMm: height };
  });
