import fc from 'fast-check';
import type { SerializedRequest } from './fuzz-request.js';
import type { FuzzFixture } from './fuzz-fixture.js';

/** Framings that proxies and servers may parse differently (request smuggling). */
const framings = [
  'content-length: 5\r\ncontent-length: 6',
  'content-length: 5\r\ncontent-length: 5',
  'content-length: 5, 5',
  'content-length: +5',
  'content-length: 0x5',
  'content-length: -1',
  'content-length: 5 ',
  'content-length: 99999999999999999999999',
  'content-length: 5\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked\r\ncontent-length: 5',
  'transfer-encoding: xchunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: identity, chunked',
  'transfer-encoding: chunked\r\ntransfer-encoding: x',
  'transfer-encoding : chunked',
  'transfer-encoding:\tchunked',
  'transfer-encoding:\u000bchunked',
  'transfer-encoding: "chunked"',
  'transfer-encoding:\r\n chunked',
  ' transfer-encoding: chunked',
  'x: y\ntransfer-encoding: chunked',
  'x: y\rtransfer-encoding: chunked',
  'x\0: y',
  'x: a\0b',
  ': y',
  'x y: z',
  'x',
  'x: \u00ff\u007f',
  'connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA',
  'connection: transfer-encoding, content-length\r\ncontent-length: 5',
  'expect: 100-continue\r\ncontent-length: 5',
];

const smuggledRequest = 'GET /planted HTTP/1.1\r\nhost: x\r\n\r\n';
const bodies = [
  ...[
    '',
    '{"a":',
    '{}',
    `0\r\n\r\n${smuggledRequest}`,
    `5\r\n{"a":\r\n0\r\n\r\n`,
    '5;a=b\r\n{"a":\r\n0\r\n\r\n',
    '5 \r\n{"a":\r\n0\r\n\r\n',
  ],
  ...[
    '0x5\r\n{"a":\r\n0\r\n\r\n',
    '-1\r\n\r\n',
    'fffffffffffffffff\r\nx',
    '5\n{"a":\n0\n\n',
    '05\r\n{"a":\r\n00\r\n\r\n',
    'G\r\nx',
  ],
  ...[
    '0\r\ncontent-length: 9\r\nauthorization: Bearer x\r\n\r\n',
    '0\r\n: x\r\n\r\n',
    '0\r\nx',
    smuggledRequest,
    smuggledRequest.repeat(3),
  ],
  ...[`5;${'a'.repeat(20_000)}\r\n{"a":\r\n0\r\n\r\n`, `0\r\n${'x: y\r\n'.repeat(3_000)}\r\n`, '1\r\n'.repeat(2_000)],
];

const requestLines = [
  ...[
    'POST /api/v1/choices HTTP/1.1',
    'GET /api/v1/items HTTP/1.1',
    'POST /sign-in HTTP/1.1',
    'POST /oauth/token HTTP/1.1',
  ],
  ...[
    'GET /api/v1/items HTTP/1.0',
    'GET /api/v1/items HTTP/0.9',
    'GET /api/v1/items HTTP/2.0',
    'PRI * HTTP/2.0',
    'GET /',
  ],
  ...[
    'GET /api/v1/items  HTTP/1.1',
    'GET /api/v1/items HTTP/1.1 x',
    'get /api/v1/items HTTP/1.1',
    'GET\t/\tHTTP/1.1',
    'G\0T / HTTP/1.1',
  ],
  ...[
    'CONNECT planted-host.example:443 HTTP/1.1',
    'CONNECT / HTTP/1.1',
    'TRACE / HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'M-SEARCH * HTTP/1.1',
  ],
  ...[
    'GET http://planted-host.example/api/v1/items HTTP/1.1',
    'GET planted-host.example/x HTTP/1.1',
    'GET //planted-host.example/x HTTP/1.1',
  ],
  ...[
    `GET /${'x'.repeat(20_000)} HTTP/1.1`,
    `GET /\u00ff\u00c0 HTTP/1.1`,
    `${'X'.repeat(5_000)} / HTTP/1.1`,
    '\u0016\u0003\u0001\u0002\u0000\u0001',
  ],
];

const lineEnds = fc.oneof({ arbitrary: fc.constant('\r\n'), weight: 8 }, fc.constantFrom('\n', '\r', '\r\r\n', '\n\r'));

/** Requests with ambiguous framing, with inserted bytes, and arbitrary bytes. */
export function ambiguousRequests({ tokens }: FuzzFixture): fc.Arbitrary<SerializedRequest> {
  const headers = fc.array(fc.constantFrom(...framings), { maxLength: 2 });
  const many = fc.nat(2_500).map((count) => Array.from({ length: count }, (_, n) => `x-${n}: y`));
  const shaped = fc
    .tuple(
      fc.constantFrom(...requestLines),
      headers,
      fc.option(many, { freq: 15 }),
      lineEnds,
      fc.constantFrom(...bodies),
    )
    .map(([line, odd, others, end, body]) => {
      const known = [`host: x`, `authorization: Bearer ${tokens[0]!}`, 'content-type: application/json'];
      return Buffer.from(`${[line, ...known, ...odd, ...(others ?? [])].join(end)}${end}${end}${body}`, 'latin1');
    });
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const mended = fc
    .tuple(shaped, fc.nat(400), fc.uint8Array({ minLength: 1, maxLength: 4 }))
    .map(([bytes, at, planted]) => Buffer.concat([bytes.subarray(0, at), planted, bytes.subarray(at)]));
  return fc
    .oneof({ arbitrary: shaped, weight: 6 }, { arbitrary: mended, weight: 3 }, noise)
    .map((bytes) => ({ route: 'odd framing', method: methodOf(bytes), pieces: [bytes], isSound: false }));
}

/** Returns HEAD, whose response has no body; GET for all other methods. */
const methodOf = (bytes: Buffer): string => (bytes.subarray(0, 5).toString('latin1') === 'HEAD ' ? 'HEAD' : 'GET');
