import type { FastifyRequest } from 'fastify';
import { imagePath, type ImageQuery, parseImagePath, imageKey, type ImageRequest } from '#contracts';

/** Returns the image of an image URL, null if malformed. Does not check the signature. */
export function requestedImage({ params, query }: FastifyRequest): ImageRequest | null {
  const { '*': path } = params as { '*': string };
  return parseImagePath(path, query as ImageQuery);
}

/**
 * Returns the blob key of a requested image for the log, or `malformed`; undefined for other
 * requests.
 */
export function imageOf(request: FastifyRequest): string | undefined {
  if (!request.routeOptions.url?.startsWith(imagePath)) return undefined;
  const image = requestedImage(request);
  return image ? imageKey(image) : 'malformed';
}
