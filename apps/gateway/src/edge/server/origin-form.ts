/** Scheme and host of an absolute URL. */
const schemeAndHost = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Returns path and query of a request target in any form (RFC 9112, 3.2). The host of an absolute
 * form is client-controlled and ignored. A target that is neither a path nor an absolute URL, such
 * as `*`, becomes `/*`, which has no route.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const head = schemeAndHost.exec(target)?.[0];
  if (head === undefined) return '/*';
  const path = target.slice(head.length);
  return path.startsWith('/') ? path : `/${path}`;
}
