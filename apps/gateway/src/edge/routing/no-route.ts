import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { methodsAt } from './methods.js';

/** Returns the error of a path without a route, or of a method that the path does not support. */
export function noRoute(request: FastifyRequest): DomainError {
  const known = methodsAt(request.url);
  const methods = known.length > 0 ? known : pageMethodsAt(request);
  if (methods.length === 0) return new DomainError(problems['request.not-found'], 'The path does not exist.');
  const allow = methods.join(', ');
  return new DomainError(problems['request.method-not-allowed'], `Use ${allow}.`, undefined, { allow });
}

/**
 * Characters of a path without parameters. Other characters would be pattern syntax for the router,
 * which throws for an invalid pattern.
 */
const plain = /^[\w./-]+$/;

/** Returns the methods of a page without parameters. */
function pageMethodsAt({ server, url }: FastifyRequest): string[] {
  const [path = ''] = url.split('?');
  if (!plain.test(path)) return [];
  return (['GET', 'HEAD', 'POST'] as const).filter((method) => server.hasRoute({ method, url: path }));
}
