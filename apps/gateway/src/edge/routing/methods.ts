import { imagePath, operations } from '#contracts';

/** Beside the API: what programs fetch by addresses that it answers. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const filePattern = new RegExp(`^(?:${imagePath}/.|/icons/[^/]+/?$)`);

/** Patterns of the addresses of all operations. */
export const operationPatterns = Object.values(operations).map(({ method, path }) => ({
  method,
  // eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

const literal = new Map<string, Set<string>>();
for (const { method, path } of Object.values(operations))
  if (!path.includes(':')) literal.set(path, (literal.get(path) ?? new Set()).add(method));

/**
 * Whether an address is one of the API that does not know the method, although the router takes its last word for an id:
 * `GET /materials/text`.
 */
export function isOnlyOfOtherMethods(method: string, url: string): boolean {
  const [path = ''] = url.split('?');
  const known = literal.get(path.replace(/\/$/, ''));
  return known !== undefined && !known.has(method === 'HEAD' ? 'GET' : method);
}

/** The methods that an address of the API, an image or an icon knows: what `Allow` says beside a 405. */
export function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?');
  if (filePattern.test(path)) return ['GET', 'HEAD'];
  const exact = literal.get(path.replace(/\/$/, ''));
  if (exact) return [...exact];
  return [...new Set(operationPatterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
