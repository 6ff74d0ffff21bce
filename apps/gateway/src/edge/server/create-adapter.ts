import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Operation, operations, problems } from '#contracts';
import { DomainError } from '#kernel';
import { type GatewayEnv, keyPairFiles } from '../../env.js';
import { LingeringClose } from '../connections/lingering-close.js';
import type { ProblemWriter } from '../errors/problem-writer.js';
import { respondToMalformed } from '../errors/malformed-request.js';
import { allowOrigins } from '../headers/cors.js';
import { requestIdOf } from '../headers/request-id.js';
import { operationNameAt } from '../routing/operation-of.js';
import { EdgeAdapter } from './edge-adapter.js';
import { type EdgeTimes, edgeTimes } from './edge-times.js';
import { readKeyPair } from './key-pair.js';
import { originForm } from './origin-form.js';
import { tlsOptions } from './tls.js';

const defaultBodyLimit = 1024 * 1024;

/** Creates the HTTP or HTTPS server with limits on client-controlled sizes and times. */
export function createAdapter(
  env: GatewayEnv,
  problemWriter: ProblemWriter,
  times: EdgeTimes = edgeTimes,
): EdgeAdapter {
  const files = keyPairFiles(env);
  const heads = {
    // Host is not needed, because only BASE_URL is used; Node's rejection is not a problem document
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
    ...(files ? { https: { ...heads, ...tlsOptions(readKeyPair(files), times.headMs) } } : { http: heads }),
    connectionTimeout: times.idleExchangeMs,
    keepAliveTimeout: times.idleMs,
    forceCloseConnections: 'idle' as const,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      respondToMalformed(problemWriter, error, socket, lingering),
    // An undecodable URL reaches no hook or route
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      allowOrigins(request, reply);
      const error = new DomainError(problems['request.invalid'], 'The URL cannot be decoded.');
      problemWriter.write(reply, error.body(), { 'x-request-id': request.id });
    },
  };
  const adapter = new EdgeAdapter(options, env.BASE_URL, problemWriter, lingering);
  adapter.getInstance<FastifyInstance>().addHook('onRoute', limitBody);
  return adapter;
}

/** Sets the body limit of an operation. */
function limitBody(route: { method: string | string[]; url: string; bodyLimit?: number }): void {
  const name = operationNameAt(String(route.method), route.url);
  const operation: Operation | undefined = name && operations[name];
  if (operation?.bodyLimit !== undefined) route.bodyLimit = operation.bodyLimit;
}
