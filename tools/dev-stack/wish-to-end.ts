/** One press of Ctrl-C may arrive twice within milliseconds: from the terminal, and from npm, which passes it on. */
const samePressMs = 1_000;

/** Tells the first wish that everything ends from that of somebody who does not want to wait for it. */
export class WishToEnd {
  private since: number | undefined;

  /** @param now in milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  /** Whether it is `first`, the `same` once more, or `impatient`. */
  heard(): 'first' | 'same' | 'impatient' {
    if (this.since === undefined) {
      this.since = this.now();
      return 'first';
    }
    return this.now() - this.since < samePressMs ? 'same' : 'impatient';
  }
}
