import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { operationNameOfRequest } from '../routing/operation-of.js';
import { rejectEncoded } from './json-body.js';

/**
 * Limit of a form. The largest valid form has a description of 10,000 characters, 120,000 bytes
 * when percent-encoded.
 */
export const maxFormBytes = 128 * 1024;

/**
 * Reads `application/x-www-form-urlencoded` of pages and OAuth clients. The API accepts JSON only.
 *
 * @throws DomainError 413, 415
 */
export async function readForm(request: FastifyRequest, bytes: IncomingMessage): Promise<OAuthParameters> {
  if (operationNameOfRequest(request) !== undefined)
    throw new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.');
  rejectEncoded(request);
  if (Number(request.headers['content-length']) > maxFormBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  // A rejection does not destroy the stream, because that would close the socket before the
  // response
  for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxFormBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return parametersOf(new URLSearchParams(Buffer.concat(chunks).toString()));
}

const tooLarge = (): DomainError =>
  new DomainError(problems['request.too-large'], `The form is over the limit of ${maxFormBytes} bytes.`);

/** Returns the first value of each name, and the repeated names. */
export function parametersOf(pairs: Iterable<[string, string]>): OAuthParameters {
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  const repeated = new Set<string>();
  for (const [name, value] of pairs)
    if (name in given) repeated.add(name);
    else given[name] = value;
  return { given: { ...given }, repeated: [...repeated] };
}

/** Returns the parameters of the query. */
export const queryOf = ({ url }: FastifyRequest): OAuthParameters =>
  // The target may not be a valid path, such as `//`
  parametersOf(new URLSearchParams(url.split(/\?(.*)/s)[1] ?? ''));

/** Returns the form of a request; undefined without a body or with another content type. */
export const sentForm = ({ body, headers }: FastifyRequest): OAuthParameters | undefined =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)/i.test(headers['content-type'] ?? '') && body
    ? (body as OAuthParameters)
    : undefined;

/** Returns the values of a submitted form by name; an empty object without a form. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string>> => sentForm(request)?.given ?? {};
