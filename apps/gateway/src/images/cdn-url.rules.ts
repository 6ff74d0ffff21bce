const parameter = 'cdn';

/**
 * Returns the CDN URL of an image: the same path and query with an additional parameter. Requests
 * with the parameter, which the CDN sends, are not redirected again. Headers are not used, because
 * a CDN may add or remove them.
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
