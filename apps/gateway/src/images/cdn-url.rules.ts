const parameter = 'cdn';

/**
 * Returns the CDN URL of an image: the same path and query with an additional parameter. The
 * requests of the CDN have the parameter and are not redirected again. A parameter and not a
 * header, because a CDN may add or remove headers.
 *
 * @param cdn base URL without a trailing slash
 * @returns undefined without a CDN or for a request with the parameter
 */
export function cdnUrl(
  { url, query }: { readonly url: string; readonly query: unknown },
  cdn?: string,
): string | undefined {
  if (cdn === undefined || parameter in (query as object)) return undefined;
  return `${cdn}${url}&${parameter}=1`;
}
