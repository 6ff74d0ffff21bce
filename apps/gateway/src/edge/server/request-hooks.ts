import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { inSpan, Log } from '#observability';
import { currentCall, runInCall } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { Admission, overloaded } from '../admission/admission.js';
import { Authentication } from '../authentication/authentication.js';
import { credentialsOf } from '../authentication/viewer.js';
import { LargeBodies } from '../bodies/large-bodies.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { OpenRequests } from '../connections/open-requests.js';
import { ProblemWriter } from '../errors/problem-writer.js';
import { allowOrigins, answersPreflight } from '../headers/cors.js';
import { countRequest } from '../observability/request-count.js';
import { logRequest } from '../observability/request-log.js';
import { beginRequestSpan, endRequestSpan } from '../observability/request-span.js';
import { rateHeaders, RateLimiter } from '../rate-limits/rate-limiter.js';
import { isOnlyOfOtherMethods } from '../routing/methods.js';
import { noRoute } from '../routing/no-route.js';
import { operationNameOfRequest } from '../routing/operation-of.js';
import type { EdgeTimes } from './edge-times.js';

/** The name belongs to this site alone, as far as it knows: nothing is said for the names below it. */
export const transportSecurity = ({ BASE_URL }: Pick<GatewayEnv, 'BASE_URL'>): Readonly<Record<string, string>> =>
  BASE_URL.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};

/** The hooks of every request, in the order in which a request passes them. */
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

  register(server: FastifyInstance, { answerMs, exchangeMs }: EdgeTimes): void {
    server.addHook('onRequest', (request, reply, done) => this.admit(request, reply, exchangeMs, done));
    server.addHook('onRequest', (request, reply) => this.authenticate(request, reply));
    server.addHook('preHandler', (request, _reply, done) => this.startAnswer(request, answerMs, done));
    server.addHook('onSend', (request, reply, payload, done) => this.showRateLimit(request, reply, payload, done));
    server.addHook('onSend', (request, reply, _payload, done) => {
      this.admission.answered(request);
      this.shutdown.tell(request, reply);
      done();
    });
    server.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply);
      done();
    });
  }

  /** Lets a request in, with its id, its CORS headers and the context for what services are asked; or rejects it. */
  private admit(request: FastifyRequest, reply: FastifyReply, exchangeMs: number, done: HookHandlerDoneFunction): void {
    // It gets no response: the connection ends
    if (this.shutdown.isTooLate(request)) return;
    void reply.header('x-request-id', request.id).headers(this.security);
    allowOrigins(request, reply);
    const signal = this.openRequests.begin(request, exchangeMs);
    if (!signal) request.raw.socket.destroy();
    else if (answersPreflight(request, reply)) return;
    else if (this.admission.enter(request, signal)) {
      const caller = (): string | undefined => this.admission.callerOf(request);
      const call = { requestId: request.id, signal, caller };
      const span = beginRequestSpan(request);
      if (span) inSpan(span, () => runInCall(call, done));
      else runInCall(call, done);
    } else {
      this.rejected.add(request);
      this.shutdown.tell(request, reply);
      this.problemWriter.writeAtOnce(reply, this.tooMany.body(), this.tooMany.headers);
    }
  }

  private async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Before the body is read, which no route takes
    if (request.is404 || isOnlyOfOtherMethods(request.method, request.url)) throw noRoute(request);
    const name = operationNameOfRequest(request);
    if (!name) return;
    if (!('body' in operations[name])) ignoreBody(request);
    await this.authentication.admit(request, operations[name]);
    const { user, isInQuery } = credentialsOf(request);
    if (user) {
      this.admission.identify(request, user.userId);
      // Responses to a token are for its user alone: RFC 9111, section 3.5. Problems have no-store instead
      void reply.header('cache-control', isInQuery ? 'no-store' : 'private, no-cache');
    }
    // Reading the list marks it as read, and HEAD must change nothing
    if (request.method === 'HEAD' && name === 'activities.list')
      throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow: 'GET' });
  }

  /** The time for the response begins with the end of the body. */
  private startAnswer(request: FastifyRequest, timeoutMs: number, done: HookHandlerDoneFunction): void {
    this.admission.begun(request);
    const call = currentCall()!;
    const { requestId, callerSignal: signal } = call;
    runInCall({ requestId, signal, caller: () => call.caller, timeoutMs }, done);
  }

  /** Shows the state of a rate limit on responses that did not count, too: the user of the token may know it. */
  private showRateLimit(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload: unknown) => void,
  ): void {
    const name = operationNameOfRequest(request);
    const userId = credentialsOf(request).tokenUserId;
    // Most operations have no limit, and must not wait for anything
    if (!name || !this.limiter.limits(name) || userId === undefined || reply.hasHeader('x-ratelimit-limit')) {
      done(null, payload);
      return;
    }
    this.limiter.look(name, userId).then(
      (state) => {
        if (state) void reply.headers(rateHeaders(state));
        done(null, payload);
      },
      (error: unknown) => done(error as Error, payload),
    );
  }

  private end(request: FastifyRequest, reply: FastifyReply): void {
    this.openRequests.end(request);
    this.largeBodies.leave(request);
    this.admission.leave(request);
    // Fastify makes it anew on each access
    const { url: route } = request.routeOptions;
    countRequest(request.method, route, reply);
    endRequestSpan(request, reply, route);
    // Admission counts the rejected ones: a line for each would cost more than the rejection
    if (!this.rejected.has(request)) logRequest(this.log, request, reply, route);
  }
}

/** Programs in the field send a content type always. What an operation does not take is not read, whatever it is. */
function ignoreBody({ headers }: FastifyRequest): void {
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
}
