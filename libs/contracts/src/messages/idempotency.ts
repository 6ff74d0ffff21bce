import { z } from 'zod';
import { IdempotencyKey } from '../requests.js';

/**
 * What makes a write safe to send again: the client's key, and the SHA-256 of method, address and body in hexadecimal
 * digits, so that another request under the same key is told apart. Absent when the client sent no key.
 */
export const Idempotency = z.object({ key: IdempotencyKey, fingerprint: z.string().regex(/^[0-9a-f]{64}$/) });
export type Idempotency = z.output<typeof Idempotency>;

export const idempotency = Idempotency.optional();
