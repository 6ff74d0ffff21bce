import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, Client } from './client.js';
import type { LoadUser } from './load.js';

/** What has just come back may refuse for a moment. */
const patienceMs = 10_000;
const pageSize = 50;
const sideBySide = 16;

/** Reads for a check: what cannot be answered just now is asked again. */
export class Api {
  private readonly client: Client;
  private turn = 0;

  constructor(baseUrls: readonly string[]) {
    this.client = new Client(baseUrls);
  }

  async get(path: string, apiKey?: string): Promise<Answered> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.client.ask(this.turn++, {
        method: 'GET',
        path,
        ...(apiKey !== undefined && { apiKey }),
      });
      const isFinal = typeof answer.ending === 'number' && answer.ending < 500;
      if (isFinal || performance.now() > until) return answer;
      await sleep(100);
    }
  }

  /**
   * All entries of a list as a user sees it, page by page.
   *
   * @param path without a query or with one that ends in `&`
   * @throws Error when a page is not answered with 200
   */
  async all<Entry>(path: string, name: string, { apiKey }: LoadUser): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let hasNext = true; hasNext;) {
      const address = `${path}${path.includes('?') ? '' : '?'}limit=${pageSize}&offset=${entries.length}`;
      const { ending, body } = await this.get(address, apiKey);
      if (ending !== 200) throw new Error(`GET ${address} was answered ${ending}`);
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

/** Does something with each of many, a few at a time. */
export async function forAll<T>(values: Iterable<T>, what: (value: T) => Promise<void>): Promise<void> {
  const rest = [...values];
  const workers = Array.from({ length: sideBySide }, async () => {
    for (let value = rest.pop(); value !== undefined; value = rest.pop()) await what(value);
  });
  await Promise.all(workers);
}
