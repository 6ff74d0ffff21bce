import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResponseReader } from './response-reader.js';
import { readLog } from './log-findings.js';
import { defectOf } from './verdict.js';

const baseUrl = 'https://shop.example';
const problem = (status: number, detail: string): string =>
  JSON.stringify({ type: 'x', title: 'x', status, detail, code: 'x.y', message: detail, requestId: 'abc' });

function defectFor(status: number, headers: readonly string[], body: string): string | undefined {
  const reader = new ResponseReader('GET');
  const head = [`HTTP/1.1 ${status} x`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  // Byte by byte, because a network may split a response anywhere
  for (const byte of Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)) reader.add(Buffer.of(byte));
  reader.end();
  const request = { method: 'GET', pieces: [], isSound: true };
  return defectOf({ responses: reader.responses, how: 'responded' }, request, baseUrl)?.split('\n')[0];
}

const id = 'x-request-id: abc';
const json = 'content-type: application/problem+json; charset=utf-8';

describe('defects of a response', () => {
  it.each([
    [undefined, 400, [id, json], problem(400, 'x')],
    [undefined, 503, [id, json, 'retry-after: 1'], problem(503, 'x')],
    [undefined, 303, [id, 'location: /account'], ''],
    ['status 500', 500, [id, json], problem(500, 'x')],
    ['503 without Retry-After', 503, [id, json], problem(503, 'x')],
    ['no X-Request-Id', 200, [], ''],
    ['an invalid X-Request-Id', 200, ['x-request-id: a b'], ''],
    ['an injected header', 200, [id, 'x-planted: 1'], ''],
    ['an address under the host that the client has named', 200, [id], 'http://planted-host.example/'],
    ['leads away from the site', 303, [id, 'location: //evil.example/'], ''],
    ['a next page of another site', 200, [id, 'link: <https://evil.example/api/v1/x>; rel="next"'], ''],
    ['an injected script', 200, [id, 'content-type: text/html'], '<script>planted()</script>'],
    ['a rejection as text/plain', 404, [id, 'content-type: text/plain'], 'no'],
    ['contains internal details', 400, [id, json], problem(400, 'TypeError: x is undefined')],
    ['another request id in the body', 400, ['x-request-id: abd', json], problem(400, 'x')],
    ['status 404, but 400 in the body', 404, [id, json], problem(400, 'x')],
    ['invalid response head', 200, ['a b: c'], ''],
  ])('is %j', (expected, status, headers, body) => {
    expect(defectFor(status, headers, body)).toBe(expected);
  });
});

describe('findings in a log', () => {
  it('reports crashes, errors and injected lines', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
    const file = join(folder, 'log');
    const line = (level: string, app: string, msg: string): string => JSON.stringify({ level, app, msg });
    const good = line('info', 'gateway', 'GET /x 200');
    const crashes = ['catalog exited (exit code 1), restarting in 0.5 s', 'PostgreSQL exited, restarting in 0.5 s'];
    const ended = crashes.map((msg) => line('info', 'storefront', msg));
    const [failed, forged] = [line('error', 'gateway', 'request failed'), line('fatal', 'gateway', 'a planted line')];
    writeFileSync(file, ['before', good, ...ended, failed, forged, 'half a line', ''].join('\n'));
    const { lines, ...found } = await readLog(file, 'before\n'.length);
    rmSync(folder, { recursive: true });
    expect(lines).toBe(6);
    expect(found).toEqual({
      crashes,
      errors: [failed],
      planted: [forged, 'half a line'],
    });
  });
});
