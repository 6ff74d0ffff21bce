/**
 * Ends a request with a redirect (303) to a path of this site, such as the sign-in before a page
 * for members.
 */
export class SeeOther extends Error {
  override readonly name = 'SeeOther';

  constructor(readonly path: string) {
    super(`See ${path}`);
  }
}

const origin = 'https://here.invalid';

/** Maximum length of a return path in characters. A longer one is replaced by the fallback. */
export const maxPathLength = 4_096;

/**
 * Returns a return path from a query or form if it is a path of this site, else the fallback.
 * Rejects forms that browsers read as another host: `//host`, `/\host`, with tabs in between, or
 * `/.//host`, which becomes `//host`.
 */
export function localPath(to: unknown, fallback = '/'): string {
  if (typeof to !== 'string' || to.length > maxPathLength || !to.startsWith('/') || !URL.canParse(to, origin))
    return fallback;
  const url = new URL(to, origin);
  return url.origin === origin && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : fallback;
}
