import type { FastifyRequest } from 'fastify';
import { imagePath, type ImageQuery, parseImagePath, imageKey, type ImageRequest } from '#contracts';

/** What an image URL names, or null when it is none. The signature is not looked at. */
export function requestedImage({ params, query }: FastifyRequest): ImageRequest | null {
  const { '*': path } = params as { '*': string };
  return parseImagePath(path, query as ImageQuery);
}

/** The image of an image request in words of its address, for the log; undefined for every other request. */
export function imageOf(request: FastifyRequest): string | undefined {
  if (!request.routeOptions.url?.startsWith(imagePath)) return undefined;
  const image = requestedImage(request);
  return image ? imageKey(image) : 'malformed';
}
