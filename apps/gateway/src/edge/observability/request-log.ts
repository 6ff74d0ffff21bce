import { imagePath } from '#contracts';
import type { Log } from '#observability';
import type { CompletedRequest } from './completed-request.js';

/** Logs one line per request. */
export function logRequest(log: Log, completed: CompletedRequest): void {
  const { method, route = 'no route', status, code, userId, image, requestId, traceId } = completed;
  const ms = Math.round(completed.elapsedMs * 10) / 10;
  log[levelOf(route, status)](
    { method, route, status, ms, code, userId, image, requestId, traceId },
    `${method} ${route} ${status}`,
  );
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
