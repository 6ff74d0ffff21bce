import { DomainError } from '#kernel';
import { isDatabaseOutage } from '#persistence';

/** What a service answers, or a library throws, when the service, the database or the blob store is away or too busy. */
const domainCodes = new Set(['service.unavailable', 'service.overloaded', 'service.no-answer']);

/** The blob store in a folder: disk full, over quota, read-only, failing, not permitted, too many open files. */
const fileCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'ESTALE', 'EMFILE', 'ENFILE']);

/** Redis: its own error replies begin with a word; the rest is what ioredis and `QueueConnection` throw without a code. */
const redisReplies =
  /^(?:LOADING|READONLY|OOM|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|NOAUTH|WRONGPASS) /;
const redisNames = new Set(['MaxRetriesPerRequestError', 'NotConnected', 'ConnectionLost', 'TimeoutError']);
const redisWords = /^(?:Connection is closed\.?|Stream isn't writeable.*|Command timed out)$/;

/** Deep enough for fetch, TypeORM and AggregateError inside each other; errors may name each other in a circle. */
const maxDepth = 5;

/**
 * A server that one kind of event alone needs is away. Uses up no attempt, as every outage; but the worker is not paused,
 * because the other events can go on.
 */
export class OwnOutage extends Error {
  override readonly name = 'OwnOutage';
}

function isOutageItself(error: Error): boolean {
  if (error instanceof OwnOutage) return true;
  if (error instanceof DomainError) return domainCodes.has(error.kind.code);
  const { code } = error as { readonly code?: unknown };
  if (isDatabaseOutage(error) || fileCodes.has(String(code))) return true;
  return redisNames.has(error.name) || redisReplies.test(error.message) || redisWords.test(error.message);
}

/**
 * Detects errors of a dependency of the consumer (database, Redis, another service, blob store), as opposed to errors of
 * its event. The one classification of infrastructure errors for events: causes and the members of
 * an `AggregateError` count, too.
 */
export function isOutage(error: unknown, depth = maxDepth): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  if (isOutageItself(error)) return true;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error.cause, ...parts].some((part) => isOutage(part, depth - 1));
}
