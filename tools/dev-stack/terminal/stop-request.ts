/**
 * Ctrl-C may arrive twice within milliseconds: from the terminal, and from npm, which forwards it.
 */
const samePressMs = 1_000;

/** Classifies requests to stop: a request after the first press ends the grace period. */
export class StopRequest {
  private since: number | undefined;

  /** @param now in milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Records a request. Returns whether it is the `first`, a `duplicate` of the same press, or a
   * later one (`forced`).
   */
  receive(): 'first' | 'duplicate' | 'forced' {
    if (this.since === undefined) {
      this.since = this.now();
      return 'first';
    }
    return this.now() - this.since < samePressMs ? 'duplicate' : 'forced';
  }
}
