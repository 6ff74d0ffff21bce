/** Permit of a call of a user. */
export class CallPermit {
  private isReleased = false;

  constructor(
    readonly caller: string,
    private readonly onRelease: () => void,
  ) {}

  /** Releases the permit, once. */
  release(): void {
    if (this.take()) this.onRelease();
  }

  /** Makes the caller of this function release the permit. Returns false if it was released. */
  take(): boolean {
    if (this.isReleased) return false;
    this.isReleased = true;
    return true;
  }
}
