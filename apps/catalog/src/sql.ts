/**
 * A whole number written into a statement instead of being bound: for limits and offsets, whose size decides the plan.
 *
 * @throws RangeError when it is anything but a non-negative whole number
 */
export function literal(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('a limit or offset must be a whole number');
  return String(value);
}
