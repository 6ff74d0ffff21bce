const mark = 'cdn';

/**
 * Where a client finds an image at the CDN: the same path, the same query, and a mark behind it. What has the mark is
 * answered here, whoever asks and whatever headers a CDN adds or takes away: the CDN does, and nobody is sent twice.
 *
 * @param cdn without a slash at its end
 * @returns undefined when there is no CDN or the request comes from it
 */
export function cdnAddress(
  { url, query }: { readonly url: string; readonly query: unknown },
  cdn?: string,
): string | undefined {
  if (cdn === undefined || mark in (query as object)) return undefined;
  return `${cdn}${url}&${mark}=1`;
}
