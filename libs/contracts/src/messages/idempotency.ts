import { z } from 'zod';
import { IdempotencyKey } from '../requests.js';

/**
 * Idempotency key of a client, and the SHA-256 of method, path and body in hexadecimal digits,
 * which detects a different request with the same key. Absent for requests without a key.
 */
export const Idempotency = z.object({ key: IdempotencyKey, fingerprint: z.string().regex(/^[0-9a-f]{64}$/) });
export type Idempotency = z.output<typeof Idempotency>;

export const idempotency = Idempotency.optional();
