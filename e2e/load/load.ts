import type { ResizeMode } from '#contracts';

/**
 * Outcome of a request: a status; `no response` for a broken connection or a timeout, when the
 * effect is unknown; `not connected` if it was never sent.
 */
export type Outcome = number | 'no response' | 'not connected';

export interface LoadUser {
  readonly id: number;
  readonly name: string;
  /** Personal API key with `read write`. */
  readonly apiKey: string;
}

export interface LoadOptions {
  /** URLs of gateways; requests are distributed, and a retry uses another gateway. */
  readonly baseUrls: readonly string[];
  /** Users without materials and favorites. Several, so that they favor products of others. */
  readonly users: readonly LoadUser[];
  /** Requests per second, reads and writes, sent at this rate independent of responses. */
  readonly rate: number;
  /** Seed of the random choices, which repeat if the same responses arrive in the same order. */
  readonly seed: number;
}

/** Requests and responses of a period. */
export interface LoadSummary {
  /** Attempts, including retries. */
  readonly requests: number;
  /** Requests that were not sent because too many were open. */
  readonly skipped: number;
  readonly acknowledgedWrites: number;
  readonly outcomes: ReadonlyMap<Outcome, number>;
  /** Response times in milliseconds, sorted. */
  readonly durations: readonly number[];
  /**
   * Milliseconds from the start of the period to the end of the last failed request (5xx, 429, no
   * response, not connected); 0 without failures.
   */
  readonly lastFailureMs: number;
}

/** Predicate of requests by method and path with query. */
export type WhichRequests = (request: { readonly method: string; readonly path: string }) => boolean;

/**
 * Steady mixed load: reads, favorites placed and deleted, materials created, changed and deleted.
 */
export interface Load {
  readonly ledger: Ledger;
  /** Starts a new period and returns the summary of the previous one. */
  lap(): LoadSummary;
  /**
   * Resolves with the milliseconds until the first success (2xx) of a matching request sent after
   * this call.
   */
  firstSuccess(which?: WhichRequests): Promise<number>;
  /** Pauses the load; resolves when all running requests have ended, including retries. */
  rest(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Data that must exist after the writes of the load, as far as the client can tell. Entries are
 * never removed, so that deletions can be checked.
 */
export interface Ledger {
  readonly users: readonly LoadUser[];
  /** Incremented with each changed entry; records have the revision of their last change. */
  readonly revision: number;
  /** Acknowledged materials by id. */
  readonly materials: ReadonlyMap<number, MaterialRecord>;
  /** Favorites by `userId/productId`. */
  readonly favorites: ReadonlyMap<string, FavoriteRecord>;
  /**
   * Owners by title of materials whose creation got no response: each exists once or not at all.
   */
  readonly maybeMade: ReadonlyMap<string, number>;
  readonly acknowledgedWrites: number;
  /**
   * Errors visible in responses alone, as sentences: unexpected statuses, inconsistent counts,
   * repeated ids.
   */
  readonly objections: readonly string[];
}

/** A product as last returned. */
export interface ProductRecord {
  readonly id: number;
  readonly itemId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  readonly sampleImageUrl: string;
}

/** Change of a product that renders its images again. */
export interface Redrawing {
  readonly productId: number;
  readonly resizeMode: ResizeMode;
}

/** Numbers of writes. Each sent one has at most one effect, each acknowledged one exactly one. */
export interface WriteCounts {
  readonly sent: number;
  readonly acknowledged: number;
}

export interface MaterialRecord {
  readonly id: number;
  readonly userId: number;
  readonly products: readonly ProductRecord[];
  /** Changes of the material's title, or of the resize mode of one of its products. */
  readonly changes: WriteCounts;
  /** Possible titles: the acknowledged one, and that of a change without a response. */
  readonly titles: ReadonlySet<string>;
  /** Change without a response: the product may have the old or new state. */
  readonly redrawing: Redrawing | undefined;
  /** `unknown`: a deletion without a response. */
  readonly deleted: false | true | 'unknown';
  readonly revision: number;
}

export interface FavoriteRecord {
  readonly userId: number;
  readonly productId: number;
  readonly ownerId: number;
  /** Possible counts; 0: no favorite. */
  readonly counts: ReadonlySet<number>;
  /** True if a placement was acknowledged; `unknown` if none got a response. */
  readonly everPlaced: true | 'unknown';
  readonly placements: WriteCounts;
  readonly withdrawals: WriteCounts;
  readonly revision: number;
}

/** Findings of a check; empty on success. */
export interface Findings {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Other errors: counts, images, activities, outbox, jobs, responses. */
  readonly wrong: readonly string[];
  /** Milliseconds until background work has finished: outboxes and queues are empty. */
  readonly settledMs: number;
}
