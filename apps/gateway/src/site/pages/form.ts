import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';
import { refuseEncoded } from '../../edge/bodies/json-body.js';
import { operationNameOfRequest } from '../../edge/routing/operation-of.js';

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

/** One line that a person has typed; keyboards of phones put a space behind it. */
export const typedLine = z.string().trim();

/** What is wrong with a form, by field; `form` is about the whole of it. Each is the name of a text. */
export type FormErrors = Readonly<Record<string, string>>;

/** Why a form is shown again. */
export interface Refused {
  readonly errors: FormErrors;
  readonly status: number;
  /** For the answer: when to come back, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The offending places, where the refusal names them. */
  readonly details?: readonly FieldError[] | undefined;
}

export type Submitted<Done> = { readonly done: Done } | Refused;

/** The field that a refusal is about, when it does not say so itself. */
const fieldOf: Readonly<Record<string, string>> = {
  'user.name-taken': 'name',
  'user.name-reserved': 'name',
  'user.name-differs': 'name',
  'user.email-taken': 'email',
  'password.wrong': 'password',
  'password.easy-to-guess': 'newPassword',
  'redirect-uri.invalid': 'redirectUris',
};

/**
 * Checks a form and does what it asks for. A refusal becomes texts beside the fields: `name.invalid` where the shape is
 * wrong, the code of the problem where it cannot be done. What is no refusal is thrown on.
 */
export async function submit<Shape extends z.ZodType, Done>(
  shape: Shape,
  form: Readonly<Record<string, string>>,
  act: (values: z.output<Shape>) => Promise<Done>,
): Promise<Submitted<Done>> {
  try {
    const read = shape.safeParse(form);
    if (!read.success) {
      const fields = read.error.issues.map(({ path }) => String(path[0] ?? 'form'));
      return { errors: Object.fromEntries(fields.map((field) => [field, `${field}.invalid`])), status: 422 };
    }
    return { done: await act(read.data) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    const { kind, status, headers, errors: details } = error;
    return { errors: { [fieldOf[kind.code] ?? 'form']: kind.code }, status, headers, details };
  }
}
