import { Injectable } from '@nestjs/common';
import { request } from 'undici';
import { backoffMs } from '#concurrency';
import { OwnOutage } from '#events';
import { RenderingEnv } from '../env.js';

/** What caches know the images by: tags, and patterns of paths below the base URL in which `*` is any characters. */
interface Purge {
  readonly tags: readonly string[];
  readonly paths: readonly string[];
}

const timeoutMs = 5_000;
const outageBackoff = { firstMs: 1_000, maxMs: 30_000 };

/** Timeout, early, too many requests: worth another attempt without an end, as every 5xx. */
const isAway = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** Client of the operator's purge hook. Nothing of a response is read but its status. */
@Injectable()
export class PurgeClient {
  private failures = 0;
  private pausedUntil = 0;

  constructor(private readonly env: RenderingEnv) {}

  /**
   * Posts what caches must purge. Without a hook it does nothing.
   *
   * @throws OwnOutage when the hook does not answer, or answers that it cannot now. For 1 s to 30 s after that without a
   *   request: a hook that does not answer must not take the places of the worker from images that are to be drawn
   * @throws Error when the hook rejects the request
   */
  async purge(purge: Purge): Promise<void> {
    const { IMAGE_PURGE_URL: url } = this.env;
    if (url === undefined) return;
    if (performance.now() < this.pausedUntil) throw new OwnOutage('IMAGE_PURGE_URL was away a moment ago');
    const status = await this.post(url, purge).catch((error: unknown) => this.away(codeOf(error)));
    if (isAway(status)) this.away(`HTTP ${status}`);
    this.failures = 0;
    if (status < 200 || status > 299) throw new Error(`IMAGE_PURGE_URL rejects the purge: HTTP ${status}`);
  }

  private async post(url: string, purge: Purge): Promise<number> {
    const { IMAGE_PURGE_SECRET: secret } = this.env;
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body: JSON.stringify(purge),
      signal: AbortSignal.timeout(timeoutMs),
    });
    body.on('error', () => undefined).destroy();
    return statusCode;
  }

  private away(reason: string): never {
    this.pausedUntil = performance.now() + backoffMs(this.failures, outageBackoff);
    this.failures += 1;
    throw new OwnOutage(`IMAGE_PURGE_URL is away: ${reason}`);
  }
}

/** The code of a connection's error is enough, and reveals nothing of the address. */
const codeOf = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: string };
  return typeof code === 'string' ? code : (name ?? 'no answer');
};
