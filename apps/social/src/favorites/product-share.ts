import { tooManyFavorites } from './favorite.errors.js';

/**
 * Admission control of writes that lock the counter of a product (a dynamic threshold, as in switches that share a buffer):
 * a product may have as many writes in flight as slots of the process are left. One popular product gets half of the
 * slots, two get a third each: a slot is always left to other products and to reads, whose commits are not waited for.
 */
export class ProductShare {
  private readonly inFlight = new Map<number, number>();
  private total = 0;

  /** @param slots requests that the process works on at once */
  constructor(private readonly slots: number) {}

  /**
   * Runs a write unless its product has its share.
   *
   * @throws DomainError service.overloaded: nothing was done
   */
  async run<Result>(productId: number, write: () => Promise<Result>): Promise<Result> {
    const own = this.inFlight.get(productId) ?? 0;
    if (own >= this.slots - this.total) throw tooManyFavorites();
    this.add(productId, 1);
    try {
      return await write();
    } finally {
      this.add(productId, -1);
    }
  }

  private add(productId: number, change: number): void {
    const own = (this.inFlight.get(productId) ?? 0) + change;
    if (own > 0) this.inFlight.set(productId, own);
    else this.inFlight.delete(productId);
    this.total += change;
  }
}
