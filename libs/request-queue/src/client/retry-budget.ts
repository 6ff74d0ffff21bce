const share = 0.1;
const maximum = 100;

/** Lets a tenth of the requests be sent again, and a few at the start: retries must not become the load. */
export class RetryBudget {
  private tokens = 10;

  deposit(): void {
    this.tokens = Math.min(maximum, this.tokens + share);
  }

  /** False when the budget is used up. */
  withdraw(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
