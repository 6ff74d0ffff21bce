import { blanksFolder, type CatalogFiles, type ItemFile, readCatalogFiles } from '#blanks';

const variantsPerItem = 30;
// First ids of the added items, variants and print places, above all ids of the shipped files
const firstItemId = 10_000;
const firstVariantId = 1_000_000;
const firstPlaceId = 2_000_000;

/**
 * Returns the shipped catalog, cut to or extended by numbered copies to `items` items, with up to
 * 30 variants per item of existing colors and sizes.
 */
export function largeCatalog(items: number): CatalogFiles {
  const files = readCatalogFiles(blanksFolder);
  let variantId = firstVariantId;
  let placeId = firstPlaceId;
  const withVariants = (item: ItemFile): ItemFile => {
    const existing = item.variants.slice(0, variantsPerItem);
    const known = new Set(existing.map(({ color, size }) => `${color} ${size}`));
    const combinations = files.sizes.flatMap((size) => files.colors.map((color) => [color.name, size.name] as const));
    const more = combinations
      .filter(([color, size]) => !known.has(`${color} ${size}`))
      .slice(0, variantsPerItem - existing.length)
      .map(([color, size]) => ({
        id: variantId++,
        color,
        size,
        price: existing[0]!.price,
        enabled: true,
        printPlaceIds: Object.fromEntries(item.printPlaces.map(({ name }) => [name, placeId++])),
      }));
    const exemplary = [...existing, ...more].some(({ id }) => id === item.exemplaryVariantId);
    return {
      ...item,
      variants: [...existing, ...more],
      exemplaryVariantId: exemplary ? item.exemplaryVariantId : existing[0]!.id,
    };
  };
  const more = Array.from({ length: Math.max(0, items - files.items.length) }, (_, n) => {
    const like = files.items[n % files.items.length]!;
    const item = {
      ...like,
      id: firstItemId + n,
      name: `${like.name}-${n + 2}`,
      displayOrder: 1_000 + n,
      variants: like.variants.slice(0, 1).map((variant) => ({
        ...variant,
        id: variantId++,
        printPlaceIds: Object.fromEntries(like.printPlaces.map(({ name }) => [name, placeId++])),
      })),
    };
    return { ...item, exemplaryVariantId: item.variants[0]!.id };
  });
  return { ...files, items: [...files.items, ...more].slice(0, items).map(withVariants) };
}
