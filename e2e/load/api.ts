import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadResponse, Client } from './client.js';
import type { LoadUser } from './load.js';

/** Retry period, because a restarted service may reject requests briefly. */
const retryPeriodMs = 10_000;
const pageSize = 50;
const sideBySide = 16;

/** Client for the API reads of a check. Retries failed reads for 10 s. */
export class Api {
  private readonly client: Client;
  private turn = 0;

  constructor(baseUrls: readonly string[]) {
    this.client = new Client(baseUrls);
  }

  async get(path: string, apiKey?: string): Promise<LoadResponse> {
    const until = performance.now() + retryPeriodMs;
    for (;;) {
      const response = await this.client.send(this.turn++, {
        method: 'GET',
        path,
        ...(apiKey !== undefined && { apiKey }),
      });
      const isFinal = typeof response.outcome === 'number' && response.outcome < 500;
      if (isFinal || performance.now() > until) return response;
      await sleep(100);
    }
  }

  /**
   * Returns all entries of a list for a user, page by page.
   *
   * @param path without a query or with one that ends in `&`
   * @throws Error if a page does not have status 200
   */
  async all<Entry>(path: string, name: string, { apiKey }: LoadUser): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let hasNext = true; hasNext;) {
      const address = `${path}${path.includes('?') ? '' : '?'}limit=${pageSize}&offset=${entries.length}`;
      const { outcome, body } = await this.get(address, apiKey);
      if (outcome !== 200) throw new Error(`GET ${address} returned ${outcome}`);
      const page = body as Record<string, Entry[]> & { meta: { hasNext: boolean } };
      entries.push(...page[name]!);
      hasNext = page.meta.hasNext;
    }
    return entries;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** Runs `what` for each value, for at most 16 values concurrently. */
export async function forAll<T>(values: Iterable<T>, what: (value: T) => Promise<void>): Promise<void> {
  const rest = [...values];
  const workers = Array.from({ length: sideBySide }, async () => {
    for (let value = rest.pop(); value !== undefined; value = rest.pop()) await what(value);
  });
  await Promise.all(workers);
}
