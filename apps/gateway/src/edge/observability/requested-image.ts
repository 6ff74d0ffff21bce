import type { FastifyRequest } from 'fastify';
import { imagePath, type ImageQuery, parseImagePath, pictureKey, type PictureRequest } from '#contracts';

/** What an image URL names, or null when it is none. The signature is not looked at. */
export function requestedImage({ params, query }: FastifyRequest): PictureRequest | null {
  const { '*': path } = params as { '*': string };
  return parseImagePath(path, query as ImageQuery);
}

/** The picture of an image request in words of its address, for the log; undefined for every other request. */
export function pictureOf(request: FastifyRequest): string | undefined {
  if (!request.routeOptions.url?.startsWith(imagePath)) return undefined;
  const picture = requestedImage(request);
  return picture ? pictureKey(picture) : 'malformed';
}
