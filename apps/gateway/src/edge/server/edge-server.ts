import cookie from '@fastify/cookie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { DomainError } from '#kernel';
import { type Operation, operations, problems } from '#contracts';
import { inSpan } from '#observability';
import { currentCall, runInCall } from '#request-queue';
import { GATEWAY_ENV, type GatewayEnv, keyPairFiles } from '../../env.js';
import type { GatewayLog } from '../../gateway-log.js';
import { Admission, overloaded } from '../admission/admission.js';
import { rejectEarly } from '../admission/early-rejection.js';
import { Authentication } from '../authentication/authentication.js';
import { credentialsOf } from '../authentication/viewer.js';
import { operationNameAt, operationNameOfRequest } from '../routing/operation-of.js';
import { rateHeaders, RateLimiter } from '../rate-limits/rate-limiter.js';
import { registerCompression } from './compression.js';
import { ConnectionShares } from '../connections/connection-shares.js';
import { allowOrigins, answersPreflight, corsHeaders } from '../headers/cors.js';
import { EdgeAdapter } from './edge-adapter.js';
import { noRoute } from '../errors/problem.filter.js';
import { ProblemWriter } from '../errors/problem-writer.js';
import { readForm } from '../../site/pages/form.js';
import { readJsonBody } from '../bodies/json-body.js';
import { readKeyPair } from './key-pair.js';
import { LargeBodies } from '../bodies/large-bodies.js';
import { LingeringClose } from '../connections/lingering-close.js';
import { isOnlyOfOtherMethods } from '../routing/methods.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { type EdgeTimes, edgeTimes } from './edge-times.js';
import { OpenRequests } from '../connections/open-requests.js';
import { originForm } from './origin-form.js';
import { requestIdOf } from '../headers/request-id.js';
import { countRequest } from '../observability/request-count.js';
import { logRequest } from '../observability/request-log.js';
import { beginRequestSpan, endRequestSpan } from '../observability/request-span.js';
import { endFailedHandshakes, followKeyPair, tlsOptions } from './tls.js';
import { answerUnreadable } from '../errors/unreadable-request.js';

const defaultBodyLimit = 1024 * 1024;

/** The HTTP or HTTPS server, with limits on everything a client may stretch. */
export function edgeAdapter(env: GatewayEnv, problemWriter: ProblemWriter, times: EdgeTimes = edgeTimes): EdgeAdapter {
  const files = keyPairFiles(env);
  const heads = {
    // Without Host the address of nothing changes, as only BASE_URL is used; Node's own refusal is no problem document
    requireHostHeader: false,
    headersTimeout: times.headMs,
    connectionsCheckingInterval: times.checkEveryMs,
  };
  const lingering = new LingeringClose(times, env.TRUSTED_PROXIES);
  const options = {
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_048 },
    bodyLimit: defaultBodyLimit,
    trustProxy: env.TRUSTED_PROXIES,
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '' }: { readonly url?: string }) => originForm(url),
    requestTimeout: times.requestMs,
    ...(files ? { https: { ...heads, ...tlsOptions(readKeyPair(files), times.headMs) } } : { http: heads }),
    connectionTimeout: times.silenceMs,
    keepAliveTimeout: times.idleMs,
    forceCloseConnections: 'idle' as const,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerUnreadable(problemWriter, error, socket, lingering),
    // An address that cannot be decoded never reaches a hook or a route
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      allowOrigins(request, reply);
      const error = new DomainError(problems['request.invalid'], 'The address cannot be decoded.');
      problemWriter.write(reply, error.body(), { 'x-request-id': request.id });
    },
  };
  const adapter = new EdgeAdapter(options, env.BASE_URL, problemWriter, lingering);
  const server = adapter.getInstance<FastifyInstance>();
  server.addHook('onRoute', (route) => {
    const name = operationNameAt(String(route.method), route.url);
    const operation: Operation | undefined = name && operations[name];
    if (operation?.bodyLimit !== undefined) route.bodyLimit = operation.bodyLimit;
  });
  return adapter;
}

/** What every request passes: request id, CORS, context for the queue, token, JSON parsing, compression, log line. */
export async function configureFastify(
  app: NestFastifyApplication,
  log: GatewayLog,
  { answerMs, bodySilenceMs, exchangeMs, farewellMs, certificateEveryMs }: EdgeTimes,
): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // An expectation that nobody can meet may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a document
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange));
  // Before the hooks below: a page of a refusal looks at the cookies too
  await app.register(cookie as never);
  // The name belongs to this site alone, as far as it knows: nothing is said for the names below it
  const env = app.get<GatewayEnv>(GATEWAY_ENV);
  const { BASE_URL, CONNECTIONS_AT_ONCE, TRUSTED_PROXIES } = env;
  const isSecure = BASE_URL.startsWith('https:');
  const openRequests = app.get(OpenRequests);
  const shutdown = app.get(GracefulShutdown);
  shutdown.watch(server.server);
  const largeBodies = app.get(LargeBodies);
  const admission = app.get(Admission);
  const problemWriter = app.get(ProblemWriter);
  const files = keyPairFiles(env);
  if (files) {
    // To Fastify's types HTTPS would be another kind of application
    const secure = server.server as unknown as HttpsServer;
    endFailedHandshakes(secure, problemWriter, farewellMs);
    followKeyPair(secure, files, log, certificateEveryMs);
  }
  rejectEarly(server.server, admission, problemWriter, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
    ...corsHeaders(operations['items.list'].path),
  });
  // In front of early rejections, which are its business as well
  (app.getHttpAdapter() as unknown as EdgeAdapter).lingering.watch(server.server);
  new ConnectionShares(CONNECTIONS_AT_ONCE, TRUSTED_PROXIES, openRequests).watch(server.server);
  const turnedAway = new WeakSet<FastifyRequest>();
  const tooMany = overloaded();
  server.addHook('onRequest', (request, reply, done) => {
    // Nobody answers it: the connection ends
    if (shutdown.isTooLate(request)) return;
    void reply.header('x-request-id', request.id);
    if (isSecure) void reply.header('strict-transport-security', 'max-age=31536000');
    allowOrigins(request, reply);
    const signal = openRequests.begin(request, exchangeMs);
    if (!signal) request.raw.socket.destroy();
    else if (answersPreflight(request, reply)) return;
    else if (admission.enter(request, signal)) {
      const caller = (): string | undefined => admission.callerOf(request);
      const call = { requestId: request.id, signal, caller };
      const span = beginRequestSpan(request);
      if (span) inSpan(span, () => runInCall(call, done));
      else runInCall(call, done);
    } else {
      turnedAway.add(request);
      shutdown.tell(request, reply);
      problemWriter.writeAtOnce(reply, tooMany.body(), tooMany.headers);
    }
  });
  server.addHook('onRequest', tokenCheck(app.get(Authentication), admission));
  server.addHook('preHandler', (request, _reply, done) => {
    admission.begun(request);
    const call = currentCall()!;
    const { requestId, callerSignal: signal } = call;
    runInCall({ requestId, signal, caller: () => call.caller, timeoutMs: answerMs }, done);
  });
  server.addHook('onSend', rateState(app.get(RateLimiter)));
  server.addHook('onSend', (request, reply, _payload, done) => {
    admission.answered(request);
    shutdown.tell(request, reply);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    openRequests.end(request);
    largeBodies.leave(request);
    admission.leave(request);
    // Made anew each time it is asked for
    const { url: route } = request.routeOptions;
    countRequest(request.method, route, reply);
    endRequestSpan(request, reply, route);
    // Admission counts them: a line for each would cost more than the refusal
    if (!turnedAway.has(request)) logRequest(log, request, reply, route);
    done();
  });
  // Text that is no JSON is no body of this API: 415, whatever it holds
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', (request: FastifyRequest, bytes: IncomingMessage) =>
    readJsonBody(request, bytes, largeBodies, bodySilenceMs),
  );
  server.addContentTypeParser('application/x-www-form-urlencoded', readForm);
  await registerCompression(app);
}

const tokenCheck =
  (authentication: Authentication, admission: Admission) => async (request: FastifyRequest, reply: FastifyReply) => {
    // Before the body is read, which no route takes
    if (request.is404 || isOnlyOfOtherMethods(request.method, request.url)) throw noRoute(request);
    const name = operationNameOfRequest(request);
    if (!name) return;
    if (!('body' in operations[name])) ignoreBody(request);
    await authentication.admit(request, operations[name]);
    const { user, isInQuery } = credentialsOf(request);
    if (user) {
      admission.identify(request, user.userId);
      // Responses to a token are for its user alone: RFC 9111, section 3.5. Problems have no-store instead
      void reply.header('cache-control', isInQuery ? 'no-store' : 'private, no-cache');
    }
    // Reading the list marks it as read, and HEAD must change nothing
    if (request.method === 'HEAD' && name === 'activities.list')
      throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow: 'GET' });
  };

/** Programs in the field send a content type always. What an operation does not take is not read, whatever it is. */
function ignoreBody({ headers }: FastifyRequest): void {
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
}

/** Says on answers that did not count, too, what is left of a limit: whoever the token names may know. */
const rateState =
  (limiter: RateLimiter) =>
  (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload: unknown) => void,
  ) => {
    const name = operationNameOfRequest(request);
    const userId = credentialsOf(request).tokenUserId;
    // Most operations have no limit, and must not wait for anything
    if (!name || !limiter.limits(name) || userId === undefined || reply.hasHeader('x-ratelimit-limit')) {
      done(null, payload);
      return;
    }
    limiter.look(name, userId).then(
      (state) => {
        if (state) void reply.headers(rateHeaders(state));
        done(null, payload);
      },
      (error: unknown) => done(error as Error, payload),
    );
  };
