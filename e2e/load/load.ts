import type { ResizeMode } from '#contracts';

/**
 * How a request ended: a status; `no answer` when the connection broke or the answer did not come in time, so that nobody
 * knows whether it was carried out; `not connected` when it was never sent.
 */
export type Ending = number | 'no answer' | 'not connected';

export interface LoadUser {
  readonly id: number;
  readonly name: string;
  /** The personal key: `read write`. */
  readonly apiKey: string;
}

export interface LoadOptions {
  /** The gateways; each request goes to one of them, a retry to another one. */
  readonly baseUrls: readonly string[];
  /** Who acts: the load's own, without materials and favorites at the beginning. Three or more. */
  readonly users: readonly LoadUser[];
  /** Requests a second, reads and writes together; begun at that pace however slow the answers are. */
  readonly rate: number;
  /** Makes two runs choose the same, as far as the answers are the same. */
  readonly seed: number;
}

/** What was asked and answered from one moment to another. */
export interface Tally {
  /** Attempts: each retry is one. */
  readonly requests: number;
  /** Requests that were due and not begun, because too many were still without an answer. */
  readonly heldBack: number;
  readonly acknowledgedWrites: number;
  readonly endings: ReadonlyMap<Ending, number>;
  /** Milliseconds until an answer, sorted. */
  readonly durations: readonly number[];
  /** Milliseconds from the beginning of the tally to the last request that failed (5xx, 429, no answer); 0 when none did. */
  readonly lastFailureMs: number;
}

/** Which requests are meant, by their method and path with its query string. */
export type WhichRequests = (asked: { readonly method: string; readonly path: string }) => boolean;

/** Steady mixed load: reads, favorites placed and withdrawn, materials made, changed and deleted. */
export interface Load {
  readonly ledger: Ledger;
  /** Begins a new tally and returns the one before. */
  lap(): Tally;
  /** Resolves with the milliseconds until the first success (2xx) of such a request that was begun after this call. */
  firstSuccess(which?: WhichRequests): Promise<number>;
  /** No new requests; resolves when all writes have an answer, retried with their key as a good client does. */
  rest(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** What each write has led to, as a client knows it. Only grows, so that what is deleted can be looked for. */
export interface Ledger {
  readonly users: readonly LoadUser[];
  /** Grows with each entry that changes; records carry the number of their last change. */
  readonly revision: number;
  /** By id, once acknowledged. */
  readonly materials: ReadonlyMap<number, MaterialRecord>;
  /** By `userId/productId`. */
  readonly favorites: ReadonlyMap<string, FavoriteRecord>;
  /** The owners by title of materials whose making was never answered: there is one of each, or none. */
  readonly maybeMade: ReadonlyMap<string, number>;
  readonly acknowledgedWrites: number;
  /** What the answers alone show to be wrong, in sentences: unexpected statuses, counts that do not follow, ids given twice. */
  readonly objections: readonly string[];
}

/** A product as it was answered last. */
export interface MadeProduct {
  readonly id: number;
  readonly itemId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  readonly sampleImageUrl: string;
}

/** What draws the images of a product anew. */
export interface Redrawing {
  readonly productId: number;
  readonly resizeMode: ResizeMode;
}

export interface MaterialRecord {
  readonly id: number;
  readonly userId: number;
  readonly products: readonly MadeProduct[];
  /** The titles it may have now: the acknowledged one, and that of a change that was not answered. */
  readonly titles: ReadonlySet<string>;
  /** One that was not answered, so that the product may be as it was or as it was to be. */
  readonly redrawing: Redrawing | undefined;
  /** `unknown`: a deletion without an answer. */
  readonly deleted: false | true | 'unknown';
  readonly revision: number;
}

export interface FavoriteRecord {
  readonly userId: number;
  readonly productId: number;
  readonly ownerId: number;
  /** The counts that it may have now; 0: none. */
  readonly counts: ReadonlySet<number>;
  /** Whether a placing was acknowledged; `unknown` when only one without an answer was tried. */
  readonly everPlaced: true | 'unknown';
  readonly revision: number;
}

/** What was found wrong; empty is what every check wants. */
export interface Findings {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Anything else that is not as it must be: counts, images, activities, outbox, jobs, answers. */
  readonly wrong: readonly string[];
  /** Milliseconds until the work in the background had ended: outboxes and queues empty. */
  readonly settledMs: number;
}
