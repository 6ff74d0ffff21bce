/** `http://host:port` and what follows it. */
const schemeAndHost = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * The path and query of a request's target, in whatever form it came (RFC 9112, 3.2). The host of an absolute one is the
 * client's word, and nothing may be made of it. What is no path at all, `*`, becomes one that nothing is at.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const head = schemeAndHost.exec(target)?.[0];
  if (head === undefined) return '/*';
  const path = target.slice(head.length);
  return path.startsWith('/') ? path : `/${path}`;
}
