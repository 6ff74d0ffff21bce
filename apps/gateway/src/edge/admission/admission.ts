import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { AdaptiveConcurrencyLimit, FairConcurrencyLimit } from '#concurrency';
import { imagePath, type OperationName, operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { TokenCache } from '../authentication/token-cache.js';
import { GatewayEnv } from '../../env.js';
import { Log } from '#observability';
import { addressOf } from '../connections/address.js';
import type { OpenRequest } from '../connections/open-requests.js';
import { CallPermit } from './call-permit.js';
import { operationNameOfRequest } from '../routing/operation-of.js';
import { httpMetrics } from '../observability/http-metrics.js';

/** Request kinds with separate limits, so that many of one kind take no permits from another. */
type RequestKind = 'calls' | 'images' | 'uploads';

/** Declares the request kind of a route outside the API, as part of its configuration. */
export const AdmittedAs = (requestKind: RequestKind, more: object = {}): MethodDecorator =>
  RouteConfig({ requestKind, ...more });

/** Operations that process images, up to 28 s. */
const uploads: ReadonlySet<OperationName | undefined> = new Set<OperationName>([
  'materials.create',
  'materials.text',
  'preflight.get',
  'previews.create',
]);

const callPath = '/api/v1/';
const uploadPaths = [operations['materials.create'].path, operations['previews.create'].path];

const isUpload = (url: string): boolean => uploadPaths.some((path) => url.startsWith(path));

interface Admitted {
  readonly kind: RequestKind;
  readonly caller: string;
  /** Time at which the complete request had arrived. */
  completeAt?: number;
}

const logIntervalMs = 10_000;

/**
 * Admission control: limits open requests before any work. Requests above the limit are rejected at
 * a small part of the cost of a response. A caller is a user, or an address before authentication.
 */
@Injectable()
export class Admission implements OnApplicationShutdown {
  private readonly limits: Readonly<Record<RequestKind, FairConcurrencyLimit>>;
  private readonly adaptive: AdaptiveConcurrencyLimit;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();
  private readonly unregisterMetrics: readonly (() => void)[];
  private rejected = 0;
  private logTimer: NodeJS.Timeout | undefined;

  constructor(
    { MAX_CONCURRENT_REQUESTS: limit }: GatewayEnv,
    private readonly tokens: TokenCache,
    private readonly log: Log,
  ) {
    this.adaptive = new AdaptiveConcurrencyLimit(limit);
    this.limits = {
      calls: new FairConcurrencyLimit(limit),
      // Browsers request all images of a page concurrently
      images: new FairConcurrencyLimit(4 * limit),
      uploads: new FairConcurrencyLimit(Math.ceil(limit / 2)),
    };
    const { open, allowed } = httpMetrics();
    this.unregisterMetrics = Object.entries(this.limits).flatMap(([kind, limiter]) => [
      open.watch({ kind }, () => limiter.acquired),
      allowed.watch({ kind }, () => limiter.limit),
    ]);
  }

  /**
   * Returns true if request line and headers show that `tryAdmit` would reject the call, and then
   * counts the rejection.
   */
  mustReject({ url = '', method, headers }: IncomingMessage): boolean {
    if (!url.startsWith(callPath) || method === 'OPTIONS' || (method === 'POST' && isUpload(url))) return false;
    const user = this.tokens.cachedUser(headers.authorization);
    if (user === undefined || this.limits.calls.canAcquire(ofUser(user))) return false;
    this.countRejection('calls');
    return true;
  }

  /**
   * Admits a request if a permit is free. Health checks are always admitted.
   *
   * @param open releases the permit when the client disconnects
   * @returns false if too many requests are open in total or of the same caller
   */
  tryAdmit(request: FastifyRequest, open: OpenRequest): boolean {
    const kind = kindOf(request);
    if (!kind) return true;
    if (open.permit?.take()) this.admitted.set(request, { kind: 'calls', caller: open.permit.caller });
    else if (!this.acquireFor(request, kind)) return false;
    open.onDisconnect(() => this.release(request));
    return true;
  }

  private acquireFor(request: FastifyRequest, kind: RequestKind): boolean {
    const user = this.tokens.cachedUser(request.headers.authorization);
    return this.tryAcquire(request, kind, user === undefined ? `address ${addressOf(request)}` : ofUser(user));
  }

  /** Acquires a permit for a call of a user, outside the framework. Undefined if there is none. */
  acquireCall(userId: number): CallPermit | undefined {
    const { calls } = this.limits;
    const caller = ofUser(userId);
    return calls.tryAcquire(caller) ? new CallPermit(caller, () => calls.release(caller)) : undefined;
  }

  /**
   * Moves the permit of a request from the address to the user after authentication.
   *
   * @throws DomainError 503 if the user has too many open requests
   */
  identify(request: FastifyRequest, userId: number): void {
    const admitted = this.admitted.get(request);
    if (!admitted || admitted.caller === ofUser(userId)) return;
    this.release(request);
    if (!this.tryAcquire(request, admitted.kind, ofUser(userId))) throw overloaded();
  }

  /** Returns the caller of an admitted request, for later limits; undefined without a permit. */
  callerOf(request: FastifyRequest): string | undefined {
    return this.admitted.get(request)?.caller;
  }

  /** Releases the permit. Idempotent. */
  release(request: FastifyRequest): void {
    const admitted = this.admitted.get(request);
    if (!admitted) return;
    this.admitted.delete(request);
    this.limits[admitted.kind].release(admitted.caller);
  }

  /**
   * Starts measuring the service time, after the complete request has arrived.
   *
   * @param earlyMs service time before the framework
   */
  startTiming(request: FastifyRequest, earlyMs: number): void {
    const admitted = this.admitted.get(request);
    if (admitted) admitted.completeAt = performance.now() - earlyMs;
  }

  /** Records the service time of a call for the adaptive limit. Images and uploads are excluded. */
  recordServiceTime(request: FastifyRequest): void {
    const { kind, completeAt } = this.admitted.get(request) ?? {};
    if (kind === 'calls' && completeAt !== undefined) this.recordCall(performance.now() - completeAt);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.logTimer);
    for (const unregister of this.unregisterMetrics) unregister();
  }

  /** Records the service time of a call for the adaptive limit. */
  recordCall(serviceMs: number): void {
    const { calls } = this.limits;
    calls.resize(this.adaptive.record(serviceMs, calls.acquired));
  }

  private tryAcquire(request: FastifyRequest, kind: RequestKind, caller: string): boolean {
    const isAdmitted = this.limits[kind].tryAcquire(caller);
    if (isAdmitted) this.admitted.set(request, { kind, caller });
    else this.countRejection(kind);
    return isAdmitted;
  }

  /**
   * Counts rejections and logs them in intervals, because a line per rejection would cost more than
   * the rejection.
   */
  private countRejection(kind: RequestKind): void {
    httpMetrics().rejected.inc({ reason: kind });
    this.rejected += 1;
    this.logTimer ??= setTimeout(() => {
      this.log.warn({ rejected: this.rejected, withinMs: logIntervalMs }, 'requests rejected: too many open requests');
      this.rejected = 0;
      this.logTimer = undefined;
    }, logIntervalMs).unref();
  }
}

function kindOf(request: FastifyRequest): RequestKind | undefined {
  const { url = '', config } = request.routeOptions;
  if (url.startsWith('/health/')) return undefined;
  if (url.startsWith(imagePath)) return 'images';
  if (uploads.has(operationNameOfRequest(request))) return 'uploads';
  return (config as { requestKind?: RequestKind }).requestKind ?? 'calls';
}

const ofUser = (userId: number): string => `user ${userId}`;

export const overloaded = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many requests are open; retry later.', undefined, {
    'retry-after': '1',
  });
