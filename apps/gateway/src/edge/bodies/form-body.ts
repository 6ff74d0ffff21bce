import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { operationNameOfRequest } from '../routing/operation-of.js';
import { refuseEncoded } from './json-body.js';

/** The largest form has a description of 1,000 characters and ten addresses of 2,000, each byte as three. */
const longestForm = 128 * 1024;

/**
 * Reads `application/x-www-form-urlencoded`, for pages and for what OAuth clients send. The API takes JSON only.
 *
 * @throws DomainError 413, 415
 */
export async function readForm(request: FastifyRequest, bytes: IncomingMessage): Promise<OAuthParameters> {
  if (operationNameOfRequest(request) !== undefined)
    throw new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.');
  refuseEncoded(request);
  if (Number(request.headers['content-length']) > longestForm) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  // Not destroyed when it is refused: the socket would go with it, and the answer
  for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestForm) throw tooLarge();
    chunks.push(chunk);
  }
  return parametersOf(new URLSearchParams(Buffer.concat(chunks).toString()));
}

const tooLarge = (): DomainError =>
  new DomainError(problems['request.too-large'], `The form is over the limit of ${longestForm} bytes.`);

/** The first value of each name, and the names that are there more than once. */
export function parametersOf(pairs: Iterable<[string, string]>): OAuthParameters {
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  const repeated = new Set<string>();
  for (const [name, value] of pairs)
    if (name in given) repeated.add(name);
    else given[name] = value;
  return { given: { ...given }, repeated: [...repeated] };
}

/** The query of a request in the same form. */
export const queryOf = ({ url }: FastifyRequest): OAuthParameters =>
  // What stands before it may be no path: `//` is none
  parametersOf(new URLSearchParams(url.split(/\?(.*)/s)[1] ?? ''));

/** The form that a request has sent; undefined when there was no body, or another kind of body. */
export const sentForm = ({ body, headers }: FastifyRequest): OAuthParameters | undefined =>
  /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '') && body
    ? (body as OAuthParameters)
    : undefined;

/** The values of a form that was sent. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string>> => sentForm(request)?.given ?? {};
