import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { AdaptiveConcurrencyLimit, FairConcurrencyLimit } from '#concurrency';
import { imagePath, type OperationName, operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { TokenCache } from '../authentication/token-cache.js';
import { GatewayEnv } from '../../env.js';
import { Log } from '#observability';
import { addressOf } from '../connections/address.js';
import { operationNameOfRequest } from '../routing/operation-of.js';
import { httpMetrics } from '../observability/http-metrics.js';

/** Kinds of requests with a limit of their own, so that many of one kind take no permits from another. */
type Kind = 'calls' | 'images' | 'uploads';

/** They wait for pixels, up to 28 s. */
const uploads: ReadonlySet<OperationName | undefined> = new Set<OperationName>(['materials.create', 'materials.text']);

const callPath = '/api/v1/';
const uploadPath = operations['materials.create'].path;

interface Admitted {
  readonly kind: Kind;
  readonly caller: string;
  /** When the services could begin with it. */
  begunAt?: number;
}

const saidEveryMs = 10_000;

/**
 * Bounds the requests that are open at once, before anything is done for them: what is more than can be served in time
 * is refused at a small part of the price of an answer. A caller is a user, or the address of whom nobody knows yet.
 */
@Injectable()
export class Admission implements OnApplicationShutdown {
  private readonly limits: Readonly<Record<Kind, FairConcurrencyLimit>>;
  private readonly adaptive: AdaptiveConcurrencyLimit;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();
  private readonly watched: readonly (() => void)[];
  private refused = 0;
  private saying: NodeJS.Timeout | undefined;

  constructor(
    { REQUESTS_AT_ONCE: most }: GatewayEnv,
    private readonly tokens: TokenCache,
    private readonly log: Log,
  ) {
    this.adaptive = new AdaptiveConcurrencyLimit(most);
    this.limits = {
      calls: new FairConcurrencyLimit(most),
      // A browser asks for all images of a page at once
      images: new FairConcurrencyLimit(4 * most),
      uploads: new FairConcurrencyLimit(Math.ceil(most / 2)),
    };
    const { open, allowed } = httpMetrics();
    this.watched = Object.entries(this.limits).flatMap(([kind, limit]) => [
      open.watch({ kind }, () => limit.acquired),
      allowed.watch({ kind }, () => limit.limit),
    ]);
  }

  /** Whether it is certain, from the head of a request alone, that `enter` would refuse a call. Counts it then. */
  hasNoRoomFor({ url = '', method, headers }: IncomingMessage): boolean {
    if (!url.startsWith(callPath) || method === 'OPTIONS' || (method === 'POST' && url.startsWith(uploadPath)))
      return false;
    const user = this.tokens.cachedUser(headers.authorization);
    if (user === undefined || this.limits.calls.canAcquire(ofUser(user))) return false;
    this.note('calls');
    return true;
  }

  /**
   * @param gone aborted when the client goes away, and with it the place
   * @returns false when too much is open, or too much of the same caller; questions for health never are too many
   */
  enter(request: FastifyRequest, gone: AbortSignal): boolean {
    const kind = kindOf(request);
    if (!kind) return true;
    const user = this.tokens.cachedUser(request.headers.authorization);
    if (!this.take(request, kind, user === undefined ? `address ${addressOf(request)}` : ofUser(user))) return false;
    gone.addEventListener('abort', () => this.leave(request), { once: true });
    return true;
  }

  /**
   * Whose request it is has turned out: it counts as theirs from now on.
   *
   * @throws DomainError 503 when they have too many open
   */
  identify(request: FastifyRequest, userId: number): void {
    const admitted = this.admitted.get(request);
    if (!admitted || admitted.caller === ofUser(userId)) return;
    this.leave(request);
    if (!this.take(request, admitted.kind, ofUser(userId))) throw overloaded();
  }

  /** Who is behind a request, for those who share out what comes later; undefined when it holds no place. */
  callerOf(request: FastifyRequest): string | undefined {
    return this.admitted.get(request)?.caller;
  }

  /** Gives the place back; a second time nothing happens. */
  leave(request: FastifyRequest): void {
    const admitted = this.admitted.get(request);
    if (!admitted) return;
    this.admitted.delete(request);
    this.limits[admitted.kind].release(admitted.caller);
  }

  /** All of it has come: from now on its time says how fast the services are, and no longer how fast its client is. */
  begun(request: FastifyRequest): void {
    const admitted = this.admitted.get(request);
    if (admitted) admitted.begunAt = performance.now();
  }

  /** Its answer is there, of which is learned how much can be open: images and uploads take their time always. */
  answered(request: FastifyRequest): void {
    const { kind, begunAt } = this.admitted.get(request) ?? {};
    if (kind !== 'calls' || begunAt === undefined) return;
    const { calls } = this.limits;
    calls.resize(this.adaptive.record(performance.now() - begunAt, calls.acquired));
  }

  onApplicationShutdown(): void {
    clearTimeout(this.saying);
    for (const forget of this.watched) forget();
  }

  private take(request: FastifyRequest, kind: Kind, caller: string): boolean {
    const isAdmitted = this.limits[kind].tryAcquire(caller);
    if (isAdmitted) this.admitted.set(request, { kind, caller });
    else this.note(kind);
    return isAdmitted;
  }

  /** A line for each refusal would cost more than the refusal. */
  private note(kind: Kind): void {
    httpMetrics().refused.inc({ reason: kind });
    this.refused += 1;
    this.saying ??= setTimeout(() => {
      this.log.warn({ refused: this.refused, withinMs: saidEveryMs }, 'requests were refused: too many at once');
      this.refused = 0;
      this.saying = undefined;
    }, saidEveryMs).unref();
  }
}

function kindOf(request: FastifyRequest): Kind | undefined {
  const { url = '' } = request.routeOptions;
  if (url.startsWith('/health/')) return undefined;
  if (url.startsWith(imagePath)) return 'images';
  return uploads.has(operationNameOfRequest(request)) ? 'uploads' : 'calls';
}

const ofUser = (userId: number): string => `user ${userId}`;

export const overloaded = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many requests are open; try again in a moment.', undefined, {
    'retry-after': '1',
  });
