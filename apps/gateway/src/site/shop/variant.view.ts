import type { ItemVariant } from '#contracts';

/** Variants that a page links to: colors by their first variant, sizes in the item's order. */
interface VariantChoice {
  /** One variant per color: the target of its link. */
  readonly colors: readonly ItemVariant[];
  /** One variant per size of the chosen color. */
  readonly sizes: readonly ItemVariant[];
}

/**
 * Returns the variants that a page links to: one per color, and those of the chosen color. Only
 * variants that can be ordered, and the chosen one, are offered. The link of a color selects the
 * chosen size if it is offered in that color, else the first offered variant of the color.
 */
export function variantChoice(variants: readonly ItemVariant[], chosen: ItemVariant): VariantChoice {
  const offered = variants.filter(({ id, enabled }) => enabled || id === chosen.id);
  const colors = new Map<number, ItemVariant>();
  for (const variant of offered)
    if (!colors.has(variant.color.id) || variant.size.id === chosen.size.id) colors.set(variant.color.id, variant);
  return { colors: [...colors.values()], sizes: offered.filter(({ color }) => color.id === chosen.color.id) };
}
