/** How much of what somebody holds must still be free. */
const share = 1 / 2;

/**
 * Bounds how much runs at once, and leaves room for those who have little. Who holds none gets a place as long as fewer
 * callers hold any than there are places. Who holds some gets a further one as long as half as many are free: somebody
 * alone can fill two thirds of the places, two callers two fifths each, and so on. When places became fewer and others
 * still hold more than there are, half of an equal share is to be had all the same.
 */
export class FairPlaces {
  private readonly held = new Map<string, number>();
  private taken = 0;
  private total: number;

  /** @param most what there never is more of */
  constructor(private readonly most: number) {
    this.total = most;
  }

  /** How many places are taken. */
  get busy(): number {
    return this.taken;
  }

  /** How many there may be now. */
  get allowed(): number {
    return this.total;
  }

  /** Fewer places from now on, or more again; who has one keeps it. */
  resize(total: number): void {
    this.total = Math.min(this.most, total);
  }

  hasRoomFor(caller: string): boolean {
    const own = this.held.get(caller) ?? 0;
    // Not the places but those who have them: the many of one caller do not keep others out when there are fewer places
    if (own === 0) return this.held.size < this.total && this.taken < this.most;
    // As many as half of an equal share, however much the others hold
    if (2 * own * this.held.size < this.total) return this.taken < this.most;
    return own * share < this.total - this.taken;
  }

  /** @returns whether the caller got a place; it is his until he leaves */
  enter(caller: string): boolean {
    if (!this.hasRoomFor(caller)) return false;
    this.held.set(caller, (this.held.get(caller) ?? 0) + 1);
    this.taken += 1;
    return true;
  }

  /** Gives back one place. */
  leave(caller: string): void {
    const own = this.held.get(caller)!;
    if (own === 1) this.held.delete(caller);
    else this.held.set(caller, own - 1);
    this.taken -= 1;
  }
}
