/** Tax rate in percent, as a whole number: 10 means 10 %. */
export type TaxPercent = number;

/**
 * Returns the amount with tax, rounded down to a whole unit, in integers only: `floor(amount * (100
 * + tax) / 100)`. Published prices of such shops are rounded down. Floating point would lose units:
 * 50 * 1.16 is 57.99999999999999.
 *
 * @param amount whole units without tax
 */
export function withTax(amount: number, tax: TaxPercent): number {
  return Math.floor((amount * (100 + tax)) / 100);
}

/**
 * Returns the smallest whole amount that costs at least this much with tax, in integers only:
 * `ceil(amount * 100 / (100 + tax))`. Exact inverse of `withTax`: `withoutTax(withTax(amount, tax),
 * tax)` is the amount for taxes from 0 to 100 %.
 *
 * @param amountWithTax whole units with tax
 */
export function withoutTax(amountWithTax: number, tax: TaxPercent): number {
  return Math.ceil((amountWithTax * 100) / (100 + tax));
}
