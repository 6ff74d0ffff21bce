import { randomBytes } from 'node:crypto';
import { artwork } from './artwork.js';

const requiredVariable = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the e2e setup starts the stack and sets it`);
  return value;
};

export const baseUrl = requiredVariable('E2E_BASE_URL');
export const dataDir = requiredVariable('E2E_DATA_DIR');

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface User {
  readonly id: number;
  readonly name: string;
  readonly apiKey: string;
}

/** Runs an operator command in a process that already runs, because a start takes a second. */
export async function operator(...words: string[]): Promise<any> {
  const response = await fetch(requiredVariable('E2E_OPERATOR_URL'), { method: 'POST', body: JSON.stringify(words) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

/** Creates a user. Each test has its own, so that tests are independent. */
export async function newUser(): Promise<User> {
  const name = `user-${randomBytes(6).toString('hex')}`;
  return operator('user', 'create', '--name', name, '--email', `${name}@example.com`, '--password', 'a long password');
}

export const newUsers = (count: number): Promise<User[]> => Promise.all(Array.from({ length: count }, newUser));

export interface Call {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/**
 * Sends a request, and returns its response with parsed JSON. A body other than a string is sent as
 * JSON. Of an event stream, only the beginning is returned.
 */
export async function call(
  method: string,
  path: string,
  { token, body, headers = {} }: Call = {},
): Promise<ApiResponse> {
  const response = await fetch(path.startsWith('http') ? path : `${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const text = isStream ? await firstChunk(response) : await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}

/** Returns the beginning of a stream, and closes it. */
async function firstChunk({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

export const api = (method: string, path: string, options: Call = {}) => call(method, `/api/v1${path}`, options);

/** Small image for tests that do not check images. */
export const smallArtwork = artwork(40, 40);

/** Returns the items by name: `(await itemsByName(token))['mug'].id`. */
export async function itemsByName(token: string): Promise<Record<string, any>> {
  const { body } = await api('GET', '/items', { token });
  return Object.fromEntries(body.items.map((item: any) => [item.name, item]));
}

/**
 * Creates a material with a small image. Returns `{ material, products }`.
 *
 * @throws Error if the material is rejected
 */
export async function newMaterial({ apiKey: token }: User, fields: object = {}): Promise<any> {
  const body = { texture: await smallArtwork, title: 'Lighthouse', ...fields };
  const response = await api('POST', '/materials', { token, body });
  if (response.status !== 200) throw new Error(`the material was not created: ${JSON.stringify(response.body)}`);
  const { material, products } = response.body;
  return { material, products };
}

/** Returns the URL of the next page, if there is one. */
export function nextPage({ headers }: ApiResponse): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** Returns all pages of a list by following `Link: rel="next"`. */
export async function allPages(path: string, token: string): Promise<ApiResponse[]> {
  const pages: ApiResponse[] = [];
  for (let next: string | undefined = `/api/v1${path}`; next !== undefined; next = nextPage(pages.at(-1)!)) {
    if (pages.length > 1_000) throw new Error(`${path} has no last page`);
    pages.push(await call('GET', next, { token }));
  }
  return pages;
}

/**
 * Sends `count` requests with limited concurrency: an overloaded gateway accepts as few as 40
 * concurrent requests, including those of parallel tests.
 */
export async function inWaves<T>(count: number, send: (at: number) => Promise<T>, atOnce = 10): Promise<T[]> {
  const responses: T[] = [];
  const left = Array.from({ length: count }, (_, at) => at);
  while (left.length > 0) responses.push(...(await Promise.all(left.splice(0, atOnce).map(send))));
  return responses;
}

/** Repeats a request until the response satisfies a condition, for at most 30 s. */
export async function eventually<T>(request: () => Promise<T>, satisfies: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const value = await request();
    if (satisfies(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value).slice(0, 500)} after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
