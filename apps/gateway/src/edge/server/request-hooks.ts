import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { type OperationName, operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { inSpan, Log } from '#observability';
import { currentCall, runInCall } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { Admission, overloaded } from '../admission/admission.js';
import { Authentication } from '../authentication/authentication.js';
import { credentialsOf } from '../authentication/viewer.js';
import { largeBodyMs, LargeBodies } from '../bodies/large-bodies.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { OpenRequests } from '../connections/open-requests.js';
import { problemCodeOf, ProblemWriter } from '../errors/problem-writer.js';
import { allowOrigins, handlePreflight } from '../headers/cors.js';
import { countRequest } from '../observability/request-count.js';
import { logRequest } from '../observability/request-log.js';
import { endRequestSpan, startRequestSpan, traceIdOf } from '../observability/request-span.js';
import { imageOf } from '../observability/requested-image.js';
import { rateHeaders, RateLimiter } from '../rate-limits/rate-limiter.js';
import { isOnlyOfOtherMethods } from '../routing/methods.js';
import { noRoute } from '../routing/no-route.js';
import { operationNameOfRequest } from '../routing/operation-of.js';
import type { EdgeTimes } from './edge-times.js';

/** HSTS header if BASE_URL is HTTPS, without subdomains, which may belong to other sites. */
export const transportSecurity = ({ BASE_URL }: Pick<GatewayEnv, 'BASE_URL'>): Readonly<Record<string, string>> =>
  BASE_URL.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};

/** Reads without HEAD: one marks activities as read, the other has a response without an end. */
const withoutHead: ReadonlySet<OperationName> = new Set<OperationName>(['activities.list', 'events.stream']);

/** Hooks of every request, in execution order. */
@Injectable()
export class RequestHooks {
  private readonly security: Readonly<Record<string, string>>;
  private readonly rejected = new WeakSet<FastifyRequest>();
  private readonly tooMany = overloaded();

  constructor(
    env: GatewayEnv,
    private readonly log: Log,
    private readonly problemWriter: ProblemWriter,
    private readonly shutdown: GracefulShutdown,
    private readonly openRequests: OpenRequests,
    private readonly admission: Admission,
    private readonly authentication: Authentication,
    private readonly limiter: RateLimiter,
    private readonly largeBodies: LargeBodies,
  ) {
    this.security = transportSecurity(env);
  }

  register(server: FastifyInstance, { responseMs, exchangeMs }: EdgeTimes): void {
    server.addHook('onRequest', (request, reply, done) => this.admit(request, reply, exchangeMs, done));
    server.addHook('onRequest', (request, reply) => this.authenticate(request, reply));
    server.addHook('preHandler', (request, _reply, done) => this.startResponseTimeout(request, responseMs, done));
    server.addHook('onSend', (request, reply, payload, done) =>
      this.addRateLimitHeaders(request, reply, payload, done),
    );
    server.addHook('onSend', (request, reply, _payload, done) => {
      this.admission.recordServiceTime(request);
      this.shutdown.announceClose(request, reply);
      done();
    });
    server.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply);
      done();
    });
  }

  /**
   * Admits a request, with request id, CORS headers and the context of service requests, or rejects
   * it.
   */
  private admit(request: FastifyRequest, reply: FastifyReply, exchangeMs: number, done: HookHandlerDoneFunction): void {
    // No response: the connection is closing
    if (this.shutdown.isTooLate(request)) return;
    void reply.header('x-request-id', request.id).headers(this.security);
    allowOrigins(request, reply);
    const open = this.openRequests.begin(request.raw, exchangeMs + largeBodyMs(request.headers));
    if (!open) request.raw.socket.destroy();
    else if (handlePreflight(request, reply)) return;
    else if (this.admission.tryAdmit(request, open)) {
      const caller = (): string | undefined => this.admission.callerOf(request);
      const call = { requestId: request.id, signal: open.signal, caller };
      const span = startRequestSpan(request.raw, request.id);
      if (span) inSpan(span, () => runInCall(call, done));
      else runInCall(call, done);
    } else {
      this.rejected.add(request);
      this.shutdown.announceClose(request, reply);
      this.problemWriter.writeDirectly(reply, this.tooMany.body(), this.tooMany.headers);
    }
  }

  private async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Rejected before the body is read
    if (request.is404 || isOnlyOfOtherMethods(request.method, request.url)) throw noRoute(request);
    const name = operationNameOfRequest(request);
    if (!name) return;
    if (!('body' in operations[name])) ignoreBody(request);
    await this.authentication.authenticate(request, operations[name]);
    const { user, isInQuery } = credentialsOf(request);
    if (user) {
      this.admission.identify(request, user.userId);
      // A response to a token is for its user alone (RFC 9111, section 3.5). A problem document has
      // no-store instead
      void reply.header('cache-control', isInQuery ? 'no-store' : 'private, no-cache');
    }
    if (request.method === 'HEAD' && withoutHead.has(name))
      throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow: 'GET' });
  }

  /** Starts the response timeout after the end of the body. */
  private startResponseTimeout(request: FastifyRequest, timeoutMs: number, done: HookHandlerDoneFunction): void {
    const { earlyMs = 0 } = this.openRequests.of(request.raw) ?? {};
    this.admission.startTiming(request, earlyMs);
    const call = currentCall()!;
    const { requestId, callerSignal: signal } = call;
    runInCall({ requestId, signal, caller: () => call.caller, timeoutMs: timeoutMs - earlyMs }, done);
  }

  /** Adds the rate limit headers of the user to responses to requests that were not counted. */
  private addRateLimitHeaders(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload: unknown) => void,
  ): void {
    const name = operationNameOfRequest(request);
    const userId = credentialsOf(request).tokenUserId;
    // Synchronous for operations without a limit, which are most
    if (!name || !this.limiter.limits(name) || userId === undefined || reply.hasHeader('x-ratelimit-limit')) {
      done(null, payload);
      return;
    }
    this.limiter.peek(name, userId).then(
      (state) => {
        if (state) void reply.headers(rateHeaders(state));
        done(null, payload);
      },
      (error: unknown) => done(error as Error, payload),
    );
  }

  private end(request: FastifyRequest, reply: FastifyReply): void {
    const { earlyMs = 0 } = this.openRequests.of(request.raw) ?? {};
    this.openRequests.end(request.raw);
    this.largeBodies.release(request);
    this.admission.release(request);
    // Fastify creates `routeOptions` on each access
    const { url: route } = request.routeOptions;
    const completed = {
      method: request.method,
      route,
      status: reply.statusCode,
      elapsedMs: earlyMs + reply.elapsedTime,
      requestId: request.id,
      userId: credentialsOf(request).tokenUserId,
      traceId: traceIdOf(request.raw),
      code: problemCodeOf(reply),
      image: imageOf(request),
    };
    countRequest(completed);
    endRequestSpan(request.raw, route, reply.statusCode);
    // Admission counts rejections, because a log line would cost more than the rejection
    if (!this.rejected.has(request)) logRequest(this.log, completed);
  }
}

/**
 * Ignores the body of a request whose operation has none, because existing clients always send a
 * content type.
 */
function ignoreBody({ headers }: FastifyRequest): void {
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
}
