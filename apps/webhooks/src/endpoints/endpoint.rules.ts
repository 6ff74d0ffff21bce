import type { PublicEventType } from '#contracts';
import type { UrlRules } from '#outbound';
import type { EndpointEntity, StoredSecret } from './endpoint.entity.js';

/** Time for which the previous secret stays valid after a rotation. */
const rotationMs = 24 * 3_600_000;

/** Rules for URLs of endpoints. @param allowedHosts internal hosts that may receive events */
export const urlRules = (allowedHosts: UrlRules['allowedHosts']): UrlRules => ({
  protocols: ['https'],
  ports: [443, 80, [1_024, 65_535]],
  allowedHosts,
});

/** Fields that an owner changes. Undefined fields stay unchanged. */
interface EndpointFields {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly types?: readonly PublicEventType[] | undefined;
  readonly status?: 'enabled' | 'paused' | undefined;
}

type Health = Pick<EndpointEntity, 'failures' | 'failingSince' | 'openUntil'>;

/** Closes the circuit breaker, so that the endpoint is tried again at once. */
export const withoutFailures: Health = { failures: 0, failingSince: null, openUntil: null };

/** Returns the columns that a change sets. A new URL or status starts without failures. */
export function changedColumns(
  endpoint: Pick<EndpointEntity, 'url' | 'status'>,
  { url = endpoint.url, description, types, status }: EndpointFields,
): Partial<EndpointEntity> {
  const isReset = url !== endpoint.url || (status !== undefined && status !== endpoint.status);
  return {
    url,
    ...(description !== undefined && { description }),
    ...(types && { types: [...new Set(types)] }),
    ...(status && { status, disabledReason: null }),
    ...(isReset && withoutFailures),
  };
}

/**
 * Returns the secrets that have not been replaced: one for signatures `v1`, followed by a private
 * key if the endpoint also has signatures `v1a`.
 */
export const currentSecrets = (secrets: readonly StoredSecret[]): StoredSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === null);

/**
 * Returns new secrets, followed by those that they replace, which expire after 24 hours. Secrets of
 * an earlier rotation are removed, so that at most two generations are valid.
 */
export function rotated(secrets: readonly StoredSecret[], added: readonly StoredSecret[], now: Date): StoredSecret[] {
  const expiresAt = new Date(now.getTime() + rotationMs).toISOString();
  return [...added, ...currentSecrets(secrets).map((secret) => ({ ...secret, expiresAt }))];
}

/** Returns the time until which a previous secret is valid; null without one. */
export const oldSecretExpiry = (secrets: readonly StoredSecret[], now: Date): string | null =>
  secrets.find(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) > now.getTime())?.expiresAt ?? null;
