import { DomainError } from '#kernel';
import { isDatabaseOutage } from '#persistence';

/**
 * Codes for a service, a database or a blob store that is unavailable, overloaded or has timed out.
 */
const domainCodes = new Set(['service.unavailable', 'service.overloaded', 'service.no-answer']);

/**
 * Errors of a blob store in a folder: disk full, over quota, read-only, I/O error, permission
 * denied, stale NFS handle, too many open files of the process or of the system.
 */
const fileCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'ESTALE', 'EMFILE', 'ENFILE']);

/**
 * Error replies of Redis are recognized by their first word, errors of ioredis and
 * `QueueConnection` by name or message, because they have no code.
 */
const redisReplies =
  /^(?:LOADING|READONLY|OOM|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|NOAUTH|WRONGPASS) /;
const redisNames = new Set(['MaxRetriesPerRequestError', 'NotConnected', 'ConnectionLost', 'TimeoutError']);
const redisWords = /^(?:Connection is closed\.?|Stream isn't writeable.*|Command timed out)$/;

/**
 * Deep enough for nested errors of fetch, TypeORM and AggregateError. Bounded, because causes may
 * be circular.
 */
const maxDepth = 5;

/**
 * Outage of a server that only events of one name need. Like every outage it uses up no attempt,
 * but it does not pause the worker, because the other events can still be consumed.
 */
export class IsolatedOutage extends Error {
  override readonly name = 'IsolatedOutage';
}

function isOutageItself(error: Error): boolean {
  if (error instanceof IsolatedOutage) return true;
  if (error instanceof DomainError) return domainCodes.has(error.kind.code);
  const { code } = error as { readonly code?: unknown };
  if (isDatabaseOutage(error) || fileCodes.has(String(code))) return true;
  return redisNames.has(error.name) || redisReplies.test(error.message) || redisWords.test(error.message);
}

/**
 * Detects errors of a dependency of the consumer (database, Redis, another service, blob store), as
 * opposed to errors of its event. Includes causes and the members of an `AggregateError`. The only
 * classification of infrastructure errors for events.
 */
export function isOutage(error: unknown, depth = maxDepth): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  if (isOutageItself(error)) return true;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error.cause, ...parts].some((part) => isOutage(part, depth - 1));
}
