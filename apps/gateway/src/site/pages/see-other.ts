/** Ends a request with a redirect (303) to a path of this site. Thrown where a page cannot be shown before something else was. */
export class SeeOther extends Error {
  override readonly name = 'SeeOther';

  constructor(readonly path: string) {
    super(`see ${path}`);
  }
}

const anchor = 'https://here.invalid';

/** What is longer is no way back. */
export const longestPath = 4_096;

/**
 * The way back that somebody has put into an address: a path of this site, or the fallback. What browsers read as another
 * host (`//host`, `/\host`, with tabs in between, or `/.//host`, which becomes `//host`) is none.
 */
export function localPath(to: unknown, fallback = '/'): string {
  if (typeof to !== 'string' || to.length > longestPath || !to.startsWith('/') || !URL.canParse(to, anchor))
    return fallback;
  const url = new URL(to, anchor);
  return url.origin === anchor && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : fallback;
}
