import { z } from 'zod';
import { abortAfter } from '#concurrency';
import { signedWebhookHeaders } from '#contracts';
import { isLoopback } from '#kernel';
import { failureReason } from './failure-reason.js';

/** Address of a receiver on this machine. */
export const localUrl = z.string().refine(
  (text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && isLoopback(url) && url.username === '';
  },
  { error: 'must be an http or https URL of this machine, such as http://localhost:4000/hook' },
);

export const webhookSecret = z.string().regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, {
  error: 'must be whsec_ and 24 to 64 bytes in base64',
});

/** Result of a forward. */
export interface Forward {
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** Timeout of a webhook delivery, as in the service. */
const timeoutMs = 15_000;

/** Receiver of webhooks on this machine. */
export class LocalReceiver {
  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  /** Sends an event, once. @throws the reason of the signal when it is aborted */
  async send(id: string, body: string, signal: AbortSignal): Promise<Forward> {
    const startedMs = performance.now();
    const timestamp = Math.floor(Date.now() / 1_000);
    const result = await this.post(body, signedWebhookHeaders({ id, timestamp, body }, [this.secret]), signal).then(
      (status) => ({ status, error: null }),
      (error: unknown) => {
        signal.throwIfAborted();
        return { status: null, error: failureReason(error) };
      },
    );
    return { ...result, durationMs: Math.round(performance.now() - startedMs) };
  }

  private async post(body: string, signature: Record<string, string>, signal: AbortSignal): Promise<number> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
      redirect: 'manual',
      signal: abortAfter(timeoutMs, signal),
    });
    await response.body?.cancel();
    return response.status;
  }
}

/** Returns whether a webhook endpoint with this response would count as a success. */
export const isAccepted = ({ status }: Forward): boolean => status !== null && status >= 200 && status < 300;
