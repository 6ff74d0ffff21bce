/** A tax rate in percent, as a whole number: 10 means 10 %. */
export type TaxPercent = number;

/**
 * The tax-included amount, rounded down to a whole unit, in integers only: `floor(amount * (100 + tax) / 100)`.
 * Rounding down is what published prices of the field show; floating point would turn 110.00000000000001 into a defect.
 *
 * @param amount whole units without tax
 */
export function withTax(amount: number, tax: TaxPercent): number {
  return Math.floor((amount * (100 + tax)) / 100);
}

/**
 * The smallest whole amount that costs at least this much with tax, in integers only: `ceil(amount * 100 / (100 + tax))`.
 * It is the exact inverse of `withTax`: `withoutTax(withTax(amount, tax), tax)` is the amount for taxes from 0 to 100 %.
 *
 * @param amountWithTax whole units with tax
 */
export function withoutTax(amountWithTax: number, tax: TaxPercent): number {
  return Math.ceil((amountWithTax * 100) / (100 + tax));
}
