import type { ItemVariant } from '#contracts';

/** The variants that a page offers beside the chosen one, in the order of the item's. */
interface VariantChoice {
  /** One for each colour: what one gets by choosing it. */
  readonly colors: readonly ItemVariant[];
  /** One for each size of the chosen colour. */
  readonly sizes: readonly ItemVariant[];
}

/**
 * What can be chosen instead of a variant: nothing but combinations that there are and that can be ordered. Another colour
 * keeps the size where it comes in it, and is the first one of that colour otherwise.
 */
export function variantChoice(variants: readonly ItemVariant[], chosen: ItemVariant): VariantChoice {
  const offered = variants.filter(({ id, enabled }) => enabled || id === chosen.id);
  const colors = new Map<number, ItemVariant>();
  for (const variant of offered)
    if (!colors.has(variant.color.id) || variant.size.id === chosen.size.id) colors.set(variant.color.id, variant);
  return { colors: [...colors.values()], sizes: offered.filter(({ color }) => color.id === chosen.color.id) };
}
