import type { Language, Product } from '#contracts';

const yen = (language: Language): Intl.NumberFormat =>
  new Intl.NumberFormat(language, { style: 'currency', currency: 'JPY' });
const formats: Readonly<Record<Language, Intl.NumberFormat>> = { en: yen('en'), ja: yen('ja') };

/**
 * Formatted price of a product, tax included. `usual` is the regular price during a sale, else
 * null.
 */
export interface Price {
  readonly now: string;
  readonly usual: string | null;
}

/** Formats an amount in whole yen. */
export const priceText = (amount: number, language: Language): string => formats[language].format(amount);

/** Formats the price of a product. */
export function priceOf(
  { priceWithTax, discountedPriceWithTax }: Pick<Product, 'priceWithTax' | 'discountedPriceWithTax'>,
  language: Language,
): Price {
  const isOnSale = discountedPriceWithTax < priceWithTax;
  return {
    now: priceText(discountedPriceWithTax, language),
    usual: isOnSale ? priceText(priceWithTax, language) : null,
  };
}
