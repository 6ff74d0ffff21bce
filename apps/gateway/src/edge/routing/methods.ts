import { imagePath, operations } from '#contracts';

/** Paths of images and icons, which are outside the API. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const filePattern = new RegExp(`^(?:${imagePath}/.|/icons/[^/]+/?$)`);

/** Path patterns of all operations. */
export const operationPatterns = Object.values(operations).map(({ method, path }) => ({
  method,
  // eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

const literal = new Map<string, Set<string>>();
for (const { method, path } of Object.values(operations))
  if (!path.includes(':')) literal.set(path, (literal.get(path) ?? new Set()).add(method));

/**
 * Returns whether a path without parameters is declared for other methods only, such as
 * /materials/text for GET: the router would take the last segment for an id.
 */
export function isOnlyOfOtherMethods(method: string, url: string): boolean {
  const [path = ''] = url.split('?');
  const known = literal.get(path.replace(/\/$/, ''));
  return known !== undefined && !known.has(method === 'HEAD' ? 'GET' : method);
}

/** Returns the methods of an API path, image or icon, for the `Allow` header of a 405. */
export function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?');
  if (filePattern.test(path)) return ['GET', 'HEAD'];
  const exact = literal.get(path.replace(/\/$/, ''));
  if (exact) return [...exact];
  return [...new Set(operationPatterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
