import { Injectable } from '@nestjs/common';
import { request } from 'undici';
import { backoffMs } from '#concurrency';
import { IsolatedOutage } from '#events';
import { RenderingEnv } from '../env.js';

/**
 * Identifies images in caches: tags, and patterns of paths below the base URL in which `*` matches
 * any characters.
 */
interface Purge {
  readonly tags: readonly string[];
  readonly paths: readonly string[];
}

const timeoutMs = 5_000;
const outageBackoff = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Returns whether a status means that the hook is unavailable: 5xx, request timeout, too early, too
 * many requests. The purge is then retried without a limit.
 */
const isUnavailable = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** Client of the operator's purge hook. Only the status of a response is read. */
@Injectable()
export class PurgeClient {
  private failures = 0;
  private pausedUntil = 0;

  constructor(private readonly env: RenderingEnv) {}

  /**
   * Posts a purge to the hook. Has no effect without a hook.
   *
   * @throws IsolatedOutage when the hook does not respond, or responds that it is unavailable. For
   *   1 s to 30 s after that no request is sent, so that a hook that does not respond does not
   *   occupy the worker, which also renders images
   * @throws Error when the hook responds with any other status than 2xx
   */
  async purge(purge: Purge): Promise<void> {
    const { IMAGE_PURGE_URL: url } = this.env;
    if (url === undefined) return;
    if (performance.now() < this.pausedUntil)
      throw new IsolatedOutage('IMAGE_PURGE_URL was unavailable, pausing requests');
    const status = await this.post(url, purge).catch((error: unknown) => this.pause(codeOf(error)));
    if (isUnavailable(status)) this.pause(`HTTP ${status}`);
    this.failures = 0;
    if (status < 200 || status > 299) throw new Error(`IMAGE_PURGE_URL rejected the purge: HTTP ${status}`);
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

  private pause(reason: string): never {
    this.pausedUntil = performance.now() + backoffMs(this.failures, outageBackoff);
    this.failures += 1;
    throw new IsolatedOutage(`IMAGE_PURGE_URL unavailable: ${reason}`);
  }
}

/**
 * Returns the code or name of a connection error, which suffices and does not reveal the address.
 */
const codeOf = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: string };
  return typeof code === 'string' ? code : (name ?? 'no response');
};
