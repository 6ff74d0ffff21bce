import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { imagePath, type OperationName, operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { TokenCache } from '../authentication/token-cache.js';
import { GatewayEnv } from '../../env.js';
import { Log } from '#observability';
import { addressOf } from '../connections/address.js';
import { operationNameOfRequest } from '../routing/operation-of.js';
import { httpMetrics } from '../observability/http-metrics.js';
import { FairPlaces } from './fair-places.js';
import { TimelyLimit } from './timely-limit.js';

/** What has places of its own, so that much of one kind takes none from another. */
type Kind = 'calls' | 'pictures' | 'uploads';

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
  private readonly places: Readonly<Record<Kind, FairPlaces>>;
  private readonly timely: TimelyLimit;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();
  private readonly watched: readonly (() => void)[];
  private refused = 0;
  private saying: NodeJS.Timeout | undefined;

  constructor(
    { REQUESTS_AT_ONCE: most }: GatewayEnv,
    private readonly tokens: TokenCache,
    private readonly log: Log,
  ) {
    this.timely = new TimelyLimit(most);
    this.places = {
      calls: new FairPlaces(most),
      // A browser asks for all pictures of a page at once
      pictures: new FairPlaces(4 * most),
      uploads: new FairPlaces(Math.ceil(most / 2)),
    };
    const { open, allowed } = httpMetrics();
    this.watched = Object.entries(this.places).flatMap(([kind, places]) => [
      open.watch({ kind }, () => places.busy),
      allowed.watch({ kind }, () => places.allowed),
    ]);
  }

  /** Whether it is certain, from the head of a request alone, that `enter` would refuse a call. Counts it then. */
  hasNoRoomFor({ url = '', method, headers }: IncomingMessage): boolean {
    if (!url.startsWith(callPath) || method === 'OPTIONS' || (method === 'POST' && url.startsWith(uploadPath)))
      return false;
    const user = this.tokens.knownUser(headers.authorization);
    if (user === undefined || this.places.calls.hasRoomFor(ofUser(user))) return false;
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
    const user = this.tokens.knownUser(request.headers.authorization);
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
    this.places[admitted.kind].leave(admitted.caller);
  }

  /** All of it has come: from now on its time says how fast the services are, and no longer how fast its client is. */
  begun(request: FastifyRequest): void {
    const admitted = this.admitted.get(request);
    if (admitted) admitted.begunAt = performance.now();
  }

  /** Its answer is there, of which is learned how much can be open: pictures and uploads take their time always. */
  answered(request: FastifyRequest): void {
    const { kind, begunAt } = this.admitted.get(request) ?? {};
    if (kind !== 'calls' || begunAt === undefined) return;
    this.places.calls.resize(this.timely.note(performance.now() - begunAt, this.places.calls.busy));
  }

  onApplicationShutdown(): void {
    clearTimeout(this.saying);
    for (const forget of this.watched) forget();
  }

  private take(request: FastifyRequest, kind: Kind, caller: string): boolean {
    const hasPlace = this.places[kind].enter(caller);
    if (hasPlace) this.admitted.set(request, { kind, caller });
    else this.note(kind);
    return hasPlace;
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
  if (url.startsWith(imagePath)) return 'pictures';
  return uploads.has(operationNameOfRequest(request)) ? 'uploads' : 'calls';
}

const ofUser = (userId: number): string => `user ${userId}`;

export const overloaded = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many requests are open; try again in a moment.', undefined, {
    'retry-after': '1',
  });
