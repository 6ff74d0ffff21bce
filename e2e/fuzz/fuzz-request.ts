import fc from 'fast-check';
import { canaries } from './canaries.js';
import { unusualText, rarely } from './values.js';
import type { RawRequest } from './wire.js';

/** A request before serialization. */
export interface FuzzRequest {
  /** Name under which the request is counted. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
}

/** How a request is serialized: with replaced parts, in chunks, in several writes. */
interface Serialization {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly query: string | undefined;
  readonly isAbsolute: boolean;
  readonly host: string;
  readonly chunks: readonly number[] | undefined;
  readonly writes: number;
  readonly version: string;
}

const oddPaths = [
  ...[
    '//',
    '/./',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/',
    '/..%5c..%5c',
    '/%00',
    '/%',
    '/%zz',
    '/%ff',
    '/%c0%ae%c0%ae/',
  ],
  ...['/%252e%252e/', '/api/v1/%2e%2e/user', '/api//v1/items', '/API/V1/items', '/api/v1/items/', '/api/v1/items//'],
  ...['/api/v1/items;x=1', '/api/v1/items%20', '/api/v1/items%3f', '/api/v1/it%65ms', '/api%2fv1%2fitems', '/api/v1/*'],
  ...['*', '/*', '/__proto__', '/constructor/x/y', '/api/v1/products/__proto__', '/api/v1/products/%F0%9F%90%88'],
  ...[
    '/images/v1/../../x',
    '/images/v1/%2e%2e%2f%2e%2e%2fx',
    '/assets/..%2f..%2fpackage.json',
    '/docs/%2e%2e',
    '/icons/%00.svg',
  ],
  ...[
    `/${'x'.repeat(3_000)}`,
    `/${'a/'.repeat(1_000)}`,
    `/api/v1/products/${'9'.repeat(2_500)}`,
    '/\\evil',
    '/;/',
    '/#x',
  ],
];

const oddQueries = [
  ...[
    '%',
    '%zz',
    '%ED%A0%80',
    '%00=%00',
    'q=%00',
    'q=%ff',
    '&&&',
    '=',
    'a[b]=c',
    '__proto__[x]=1',
    '__proto__=1',
    'q[]=1',
  ],
  ...[
    'constructor=1',
    'limit[]=1',
    'limit=1&limit=2',
    'offset=999999999',
    'q=%25_%5C',
    'q=%27%3B--',
    'access_token=x',
    '?',
  ],
  ...[
    'limit=%31',
    'userName[toString]=1',
    'a=1&'.repeat(1_500),
    `x=${'y'.repeat(5_000)}`,
    'q=%E7%8C',
    'offset=1e3',
    'h=x&h=y',
  ],
];

/** Serializations, most of them without replaced parts. */
const serializations: fc.Arbitrary<Serialization> = fc.record({
  method: rarely(fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'), 25),
  path: rarely(fc.constantFrom(...oddPaths), 40),
  query: rarely(fc.constantFrom(...oddQueries), 12),
  isAbsolute: rarely(fc.constant(true), 50).map(Boolean),
  host: fc.constantFrom('localhost', canaries.host, `${canaries.host}:99`, ''),
  chunks: fc.option(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 3 }), {
    freq: 3,
    nil: undefined,
  }),
  writes: fc.oneof({ arbitrary: fc.constant(1), weight: 5 }, fc.integer({ min: 2, max: 5 })),
  version: fc.oneof({ arbitrary: fc.constant('1.1'), weight: 20 }, fc.constant('1.0')),
});

/** Removes characters that a request line cannot contain: all but visible ASCII. */
const keepVisibleAscii = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, '');

function requestLineOf(request: FuzzRequest, writing: Serialization): string {
  const query = new URLSearchParams(request.query.map(([key, value]): [string, string] => [key, value])).toString();
  const search = [query, writing.query ?? ''].filter((it) => it !== '').join('&');
  const path = writing.path ?? request.path;
  const target = `${path}${search === '' ? '' : `?${search}`}`;
  const isAbsolute = writing.isAbsolute && path.startsWith('/');
  return `${writing.method ?? request.method} ${isAbsolute ? `http://${canaries.host}` : ''}${keepVisibleAscii(target)} HTTP/${writing.version}`;
}

/** Encodes a body in chunks of the given sizes, repeated; after 200 chunks the rest is one. */
function encodeChunks(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, n = 0; at < body.length; n++) {
    const size = n < 200 ? sizes[n % sizes.length]! : body.length;
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function splitBytes(bytes: Buffer, into: number): Buffer[] {
  const size = Math.ceil(bytes.length / into);
  return Array.from({ length: into }, (_, n) => bytes.subarray(n * size, (n + 1) * size)).filter((it) => it.length > 0);
}

/** Serializes a request with correct framing. */
function serialize(request: FuzzRequest, writing: Serialization): RawRequest {
  const { body } = request;
  const chunks = writing.version === '1.1' ? writing.chunks : undefined;
  const framing = !body ? [] : chunks ? ['transfer-encoding: chunked'] : [`content-length: ${body.length}`];
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`);
  const head = [requestLineOf(request, writing), `host: ${writing.host}`, ...headers, ...framing].join('\r\n');
  const payload = !body ? Buffer.alloc(0) : chunks ? encodeChunks(body, chunks) : body;
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), payload]);
  return { method: writing.method ?? request.method, pieces: splitBytes(bytes, writing.writes), isSound: true };
}

export interface SerializedRequest extends RawRequest {
  readonly route: string;
}

/** Serializes generated requests, each in a generated way. */
export const serialized = (request: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<SerializedRequest> =>
  fc.tuple(request, serializations).map(([it, writing]) => ({ route: it.route, ...serialize(it, writing) }));

/** Unusual text as a segment of a path, escaped once, twice or not. */
export const unusualSegment: fc.Arbitrary<string> = fc
  .tuple(unusualText, fc.constantFrom('once', 'twice', 'raw'))
  .map(([text, times]) => {
    const once = encodeURIComponent(text.toWellFormed());
    if (times === 'once') return once;
    return times === 'twice' ? encodeURIComponent(once) : keepVisibleAscii(text).replaceAll(/[?#]/g, '');
  });
