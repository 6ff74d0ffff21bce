import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { methodsAt } from './methods.js';

/** The refusal of an address that no route has, or not with this method. */
export function noRoute(request: FastifyRequest): DomainError {
  const known = methodsAt(request.url);
  const methods = known.length > 0 ? known : pageMethodsAt(request);
  if (methods.length === 0) return new DomainError(problems['request.not-found'], 'There is nothing at this address.');
  const allow = methods.join(', ');
  return new DomainError(problems['request.method-not-allowed'], `Use ${allow}.`, undefined, { allow });
}

/** What an address without parameters may consist of. Anything else would be a pattern to the router, and a broken one throws. */
const plain = /^[\w./-]+$/;

/** The methods of a page whose address has no parameters. */
function pageMethodsAt({ server, url }: FastifyRequest): string[] {
  const [path = ''] = url.split('?');
  if (!plain.test(path)) return [];
  return (['GET', 'HEAD', 'POST'] as const).filter((method) => server.hasRoute({ method, url: path }));
}
