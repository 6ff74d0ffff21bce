import compress from '@fastify/compress';
import cors from '@fastify/cors';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { constants } from 'node:zlib';
import { DomainError } from '#kernel';
import { imagePath, type Operation, operations, problems } from '#contracts';
import { runInCall } from '#request-queue';
import type { GatewayLog } from '../gateway-log.js';
import { Authentication } from '../authentication/authentication.js';
import { credentialsOf } from '../authentication/viewer.js';
import { EdgeAdapter } from './edge-adapter.js';
import { problemOf, type ProblemWriter } from './problem-writer.js';
import { pictureOf } from '../pictures/requested-picture.js';
import { readJsonBody } from './json-body.js';
import { OpenRequests } from './open-requests.js';
import { requestIdOf } from './request-id.js';

const defaultBodyLimit = 1024 * 1024;

const byRoute = new Map(Object.values<Operation>(operations).map((it) => [`${it.method} ${it.path}`, it]));

/** The HTTP server, with limits on everything a client may stretch. Times in milliseconds. */
export function edgeAdapter(problemWriter: ProblemWriter): EdgeAdapter {
  const options = {
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_048 },
    bodyLimit: defaultBodyLimit,
    genReqId: requestIdOf,
    requestTimeout: 60_000,
    // Without a byte in either direction; a request may take 30 s
    connectionTimeout: 90_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle' as const,
    // An address that cannot be decoded never reaches a hook or a route
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      const error = new DomainError(problems['request.invalid'], 'The address cannot be decoded.');
      problemWriter.write(reply, error.body(), { 'x-request-id': request.id });
    },
  };
  const adapter = new EdgeAdapter(options, problemWriter);
  const server = adapter.getInstance<FastifyInstance>();
  server.addHook('onRoute', (route) => {
    const limit = byRoute.get(`${String(route.method)} ${route.url}`)?.bodyLimit;
    if (limit !== undefined) route.bodyLimit = limit;
  });
  return adapter;
}

/** What every request passes: request id, log line, context for the queue, JSON parsing, compression, CORS. */
export async function configureFastify(app: NestFastifyApplication, log: GatewayLog): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  const openRequests = new OpenRequests();
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const signal = openRequests.begin(request);
    if (signal) runInCall({ requestId: request.id, traceparent: traceparentOf(request), signal }, done);
    else request.raw.socket.destroy();
  });
  const authentication = app.get(Authentication);
  server.addHook('onRequest', async (request) => {
    // Fastify answers HEAD with the route of GET
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const operation = byRoute.get(`${method} ${request.routeOptions.url}`);
    if (!operation) return;
    await authentication.admit(request, operation);
    // Reading the list marks it as read, and HEAD must change nothing
    if (request.method === 'HEAD' && operation === operations['activities.list'])
      throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow: 'GET' });
  });
  server.addHook('onResponse', (request, reply, done) => {
    openRequests.end(request);
    logRequest(log, request, reply);
    done();
  });
  // Text that is no JSON is no body of this API: 415, whatever it holds
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_: FastifyRequest, body: string) =>
    Promise.resolve(body).then(readJsonBody),
  );
  await app.register(compress as never, {
    global: true,
    // A compressed body would be unpacked without a limit of its own
    globalDecompression: false,
    threshold: 1024,
    encodings: ['br', 'gzip', 'identity'],
    // Quality 11, the default, costs 50 times the time of 4 for a tenth of the bytes
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  await app.register(cors, {
    delegator: (request: FastifyRequest, done: (error: null, options: object) => void) =>
      done(null, request.url.startsWith('/api/v1') ? apiCors : { origin: false }),
  });
}

const apiCors = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
  exposedHeaders: [
    ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
    ...['Link', 'Retry-After', 'X-Request-Id', 'ETag', 'Idempotency-Replayed'],
  ],
  maxAge: 86_400,
};

const traceparentOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers.traceparent;
  return typeof given === 'string' && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : undefined;
};

/** One wide line per request: the route, never the address as sent, which may hold anything. */
function logRequest(log: GatewayLog, request: FastifyRequest, reply: FastifyReply): void {
  const { method, id: requestId } = request;
  const route = request.routeOptions.url ?? 'no route';
  const status = reply.statusCode;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const facts = {
    ...{ method, route, status, ms, code: problemOf(reply), userId: credentialsOf(request).user?.userId },
    ...{ picture: pictureOf(request), requestId },
  };
  log[levelOf(route, status)](facts, `${method} ${route} ${status}`);
}

/** Probes and pictures come in crowds and say nothing when they go well. */
function levelOf(route: string, status: number): 'debug' | 'info' | 'warn' {
  if (route.startsWith('/health/')) return 'debug';
  if (status >= 500) return 'warn';
  return status < 400 && route.startsWith(imagePath) ? 'debug' : 'info';
}
