import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';
import { credentialsOf } from '../authentication/viewer.js';
import type { Log } from '#observability';
import { imageOf } from './requested-image.js';
import { problemCodeOf } from '../errors/problem-writer.js';
import { traceIdOf } from './request-span.js';

/** Logs one line per request, with the route and never the URL, which may contain anything. */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply, route = 'no route'): void {
  const { method, id: requestId } = request;
  const status = reply.statusCode;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const facts = {
    method,
    route,
    status,
    ms,
    code: problemCodeOf(reply),
    userId: credentialsOf(request).tokenUserId,
    image: imageOf(request),
    requestId,
    traceId: traceIdOf(request),
  };
  log[levelOf(route, status)](facts, `${method} ${route} ${status}`);
}

/**
 * Returns the log level: debug for all probes and for images without an error, because these
 * requests are frequent.
 */
function levelOf(route: string, status: number): 'debug' | 'info' | 'warn' {
  if (route.startsWith('/health/')) return 'debug';
  if (status >= 500) return 'warn';
  return status < 400 && route.startsWith(imagePath) ? 'debug' : 'info';
}
