import cookie from '@fastify/cookie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '#kernel';
import { type Operation, operations, problems } from '#contracts';
import { runInCall } from '#request-queue';
import { GATEWAY_ENV, type GatewayEnv } from '../env.js';
import type { GatewayLog } from '../gateway-log.js';
import { Authentication } from '../authentication/authentication.js';
import { credentialsOf } from '../authentication/viewer.js';
import { operationNameAt, operationNameOfRequest } from '../operations/operation-of.js';
import { rateHeaders, RateLimiter } from '../rate-limits/rate-limiter.js';
import { registerCompression } from './compression.js';
import { allowOrigins, answersPreflight } from './cors.js';
import { EdgeAdapter } from './edge-adapter.js';
import { noRoute } from './problem.filter.js';
import { type ProblemWriter } from './problem-writer.js';
import { readForm } from '../pages/form.js';
import { readJsonBody } from './json-body.js';
import { LargeBodies } from './large-bodies.js';
import { isOnlyOfOtherMethods } from './methods.js';
import { OpenRequests } from './open-requests.js';
import { requestIdOf } from './request-id.js';
import { logRequest } from './request-log.js';
import { answerUnreadable } from './unreadable-request.js';

const defaultBodyLimit = 1024 * 1024;

/** The HTTP server, with limits on everything a client may stretch. Times in milliseconds. */
export function edgeAdapter(env: GatewayEnv, problemWriter: ProblemWriter): EdgeAdapter {
  const options = {
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_048 },
    bodyLimit: defaultBodyLimit,
    trustProxy: env.TRUSTED_PROXIES,
    genReqId: requestIdOf,
    requestTimeout: 60_000,
    // Without Host the address of nothing changes, as only BASE_URL is used; Node's own refusal is no problem document
    http: { requireHostHeader: false },
    // Without a byte in either direction; a request may take 30 s
    connectionTimeout: 90_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle' as const,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerUnreadable(problemWriter, error, socket),
    // An address that cannot be decoded never reaches a hook or a route
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      allowOrigins(request, reply);
      const error = new DomainError(problems['request.invalid'], 'The address cannot be decoded.');
      problemWriter.write(reply, error.body(), { 'x-request-id': request.id });
    },
  };
  const adapter = new EdgeAdapter(options, env.BASE_URL, problemWriter);
  const server = adapter.getInstance<FastifyInstance>();
  server.addHook('onRoute', (route) => {
    const name = operationNameAt(String(route.method), route.url);
    const operation: Operation | undefined = name && operations[name];
    if (operation?.bodyLimit !== undefined) route.bodyLimit = operation.bodyLimit;
  });
  return adapter;
}

/** What every request passes: request id, CORS, context for the queue, token, JSON parsing, compression, log line. */
export async function configureFastify(app: NestFastifyApplication, log: GatewayLog): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // An expectation that nobody can meet may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a document
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange));
  // Before the hooks below: a page of a refusal looks at the cookies too
  await app.register(cookie as never);
  // The name belongs to this site alone, as far as it knows: nothing is said for the names below it
  const isSecure = app.get<GatewayEnv>(GATEWAY_ENV).BASE_URL.startsWith('https:');
  const openRequests = new OpenRequests();
  const largeBodies = app.get(LargeBodies);
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    if (isSecure) void reply.header('strict-transport-security', 'max-age=31536000');
    allowOrigins(request, reply);
    const signal = openRequests.begin(request);
    if (!signal) request.raw.socket.destroy();
    else if (!answersPreflight(request, reply))
      runInCall({ requestId: request.id, traceparent: traceparentOf(request), signal }, done);
  });
  server.addHook('onRequest', tokenCheck(app.get(Authentication)));
  server.addHook('onSend', rateState(app.get(RateLimiter)));
  server.addHook('onResponse', (request, reply, done) => {
    openRequests.end(request);
    largeBodies.leave(request);
    logRequest(log, request, reply);
    done();
  });
  // Text that is no JSON is no body of this API: 415, whatever it holds
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', (request: FastifyRequest, bytes: IncomingMessage) =>
    readJsonBody(request, bytes, largeBodies),
  );
  server.addContentTypeParser('application/x-www-form-urlencoded', readForm);
  await registerCompression(app);
}

const tokenCheck = (authentication: Authentication) => async (request: FastifyRequest) => {
  // Before the body is read, which nobody wants
  if (request.is404 || isOnlyOfOtherMethods(request.method, request.url)) throw noRoute(request);
  const name = operationNameOfRequest(request);
  if (!name) return;
  if (!('body' in operations[name])) ignoreBody(request);
  await authentication.admit(request, operations[name]);
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
const rateState = (limiter: RateLimiter) => async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
  const name = operationNameOfRequest(request);
  const userId = credentialsOf(request).tokenUserId;
  if (!name || userId === undefined || reply.hasHeader('x-ratelimit-limit')) return payload;
  const state = await limiter.look(name, userId);
  if (state) void reply.headers(rateHeaders(state));
  return payload;
};

const traceparentOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers.traceparent;
  return typeof given === 'string' && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : undefined;
};
