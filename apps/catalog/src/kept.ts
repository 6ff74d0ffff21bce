import { runShared } from '#request-queue';

/**
 * A value in memory that is read once and read again after it is dropped. Values never change: who has one may finish
 * with it.
 */
export class Kept<Value> {
  private reading: Promise<Value> | undefined;

  constructor(private readonly read: () => Promise<Value>) {}

  /** The value as it is now. All who ask while it is being read get the same reading. */
  current(): Promise<Value> {
    return (this.reading ??= this.readOnce());
  }

  /** Forgets the value. A reading under way may be from before the change, so the next question starts anew. */
  drop(): void {
    this.reading = undefined;
  }

  private readOnce(): Promise<Value> {
    const reading = runShared(this.read);
    // A failure is told to those who waited for it, not to everybody after them
    reading.catch(() => {
      if (this.reading === reading) this.reading = undefined;
    });
    return reading;
  }
}
