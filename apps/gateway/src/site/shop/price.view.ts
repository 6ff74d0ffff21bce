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

/** Formats a price, which is in whole yen. */
export function priceOf(
  { priceWithTax, discountedPriceWithTax }: Pick<Product, 'priceWithTax' | 'discountedPriceWithTax'>,
  language: Language,
): Price {
  const text = (amount: number): string => formats[language].format(amount);
  const isOnSale = discountedPriceWithTax < priceWithTax;
  return { now: text(discountedPriceWithTax), usual: isOnSale ? text(priceWithTax) : null };
}
