/** Tax rate in percent, as a whole number: 10 means 10 %. */
export type TaxPercent = number;

/**
 * Returns the amount with tax, rounded down to a whole unit, as shops round published prices. An
 * integer is divided, because a factor with decimals would lose units: 50 * 1.16 is
 * 57.99999999999999.
 *
 * @param amount whole units without tax
 */
export function withTax(amount: number, tax: TaxPercent): number {
  return Math.floor((amount * (100 + tax)) / 100);
}

/**
 * Returns the smallest whole amount that costs at least `amountWithTax` with tax. Reverses
 * `withTax`: `withoutTax(withTax(amount, tax), tax)` is `amount` for taxes from 0 to 100 %.
 *
 * @param amountWithTax whole units with tax
 */
export function withoutTax(amountWithTax: number, tax: TaxPercent): number {
  return Math.ceil((amountWithTax * 100) / (100 + tax));
}
