/**
 * Number of unused values after which the next ones are not validated: the data changes more often
 * than the value is requested, so that a validation would only cost a second operation.
 */
const maxUnused = 3;

/** Use of a cached value that is validated before each use. It decides whether validation pays. */
export class ValueUse {
  /** Set when the value was valid and used again. */
  wasUsed = false;

  /** @param unusedBefore number of values before it, in a row, that were never used again */
  private constructor(private readonly unusedBefore: number) {}

  /**
   * Returns the use of a value that replaces another one.
   *
   * @param isSame whether the value before it is still valid
   */
  static after(before: ValueUse | undefined, isSame: boolean): ValueUse {
    return new ValueUse(before && !before.wasUsed && !isSame ? before.unusedBefore + 1 : 0);
  }

  get isWorthValidating(): boolean {
    return this.unusedBefore < maxUnused;
  }
}
