const tokensPerRequest = 0.1;
const maxTokens = 100;

/**
 * Token bucket that allows retries of a tenth of the safe requests, and ten at the start, to bound
 * the load.
 */
export class RetryBudget {
  private tokens = 10;

  deposit(): void {
    this.tokens = Math.min(maxTokens, this.tokens + tokensPerRequest);
  }

  /** Takes a token. Returns false when there is none. */
  withdraw(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
