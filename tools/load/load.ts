/** What a client can know of a write. `unknown`: no answer, or one that does not say whether it was carried out. */
export type Fate = 'acknowledged' | 'refused' | 'unknown';

/** How a request ended, for the table: a status, or `no answer` when the connection broke. */
export type Ending = number | 'no answer';

export interface LoadOptions {
  /** The gateways; each request goes to one of them, a retry to another one. */
  readonly baseUrls: readonly string[];
  /** Personal keys of the users that act. */
  readonly users: readonly { readonly id: number; readonly name: string; readonly apiKey: string }[];
  /** Requests a second, reads and writes together; begun at that pace however slow the answers are. */
  readonly rate: number;
  /** Makes two runs the same. */
  readonly seed: number;
}

/** What was asked and answered from one moment to another. */
export interface Tally {
  readonly requests: number;
  readonly acknowledgedWrites: number;
  readonly endings: ReadonlyMap<Ending, number>;
  /** Milliseconds until an answer, sorted. */
  readonly durations: readonly number[];
}

/** Steady mixed load: reads, favorites placed and withdrawn, materials made, changed and deleted. */
export interface Load {
  readonly ledger: Ledger;
  /** Begins a new tally and returns the one before. */
  lap(): Tally;
  /** Resolves with the milliseconds until the first success that was begun after this call. */
  firstSuccess(): Promise<number>;
  /** No new requests; resolves when all writes have an answer, retried with their key as a good client does. */
  rest(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** What each write has led to, as a client knows it. */
export interface Ledger {
  /** By id, once acknowledged. */
  readonly materials: ReadonlyMap<number, MaterialRecord>;
  /** By `userId/productId`. */
  readonly favorites: ReadonlyMap<string, FavoriteRecord>;
}

export interface MaterialRecord {
  readonly userId: number;
  readonly productIds: readonly number[];
  /** The titles it may have now: the acknowledged one, and those of later changes with an unknown fate. */
  readonly titles: ReadonlySet<string>;
  /** `unknown`: a deletion without an answer. */
  readonly deleted: false | true | 'unknown';
}

export interface FavoriteRecord {
  /** The counts that it may have now. 0: none. */
  readonly counts: ReadonlySet<number>;
  readonly everPlaced: boolean;
}

/** What was found wrong; empty is what every check wants. */
export interface Findings {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Anything else that is not as it must be: counts, pictures, activities, outbox, jobs. */
  readonly wrong: readonly string[];
}
