import { randomUUID } from 'node:crypto';
import { type Operation, type OperationName, operations, ProblemResponse, problems } from '#contracts';
import { ResponseValidator } from '../documents/response-validator.js';
import { addressOf, type Cell, type Check, columnNames, columns, operationNames, titleOf } from './endpoint-checks.js';
import { type RequestParts, type Row, table, type EndpointFixture } from './endpoint-table.js';
import { createEndpointFixture } from './endpoint-fixture.js';
import { type ApiResponse, api, type Call, call, inWaves } from '../support/shop.js';

let fixture: EndpointFixture;
let documents: ResponseValidator;
beforeAll(async () => {
  fixture = await createEndpointFixture();
  const { apiKey: token } = fixture.me;
  const [openApi, schema] = await Promise.all(['/openapi.json', '/schema'].map((path) => api('GET', path, { token })));
  documents = new ResponseValidator(openApi!.body, schema!.body);
});

const operationOf = (name: OperationName): Operation => operations[name];

/** Sends a request, and validates the response against OpenAPI document and hyper-schema. */
async function send(name: OperationName, request: RequestParts, options: Call = {}): Promise<ApiResponse> {
  const { method, body } = operationOf(name);
  const address = addressOf(name, request);
  const response = await call(method, address, {
    token: fixture.me.apiKey,
    ...(body && { body: request.body }),
    ...options,
  });
  documents.expectDescribed(method, address, response);
  return response;
}

/**
 * Valid request of each operation, which tests change. The changed requests are rejected, so all
 * tests of an operation can share its request.
 */
const validRequests = new Map<OperationName, Promise<RequestParts>>();
function validRequestOf(name: OperationName): Promise<RequestParts> {
  const base = validRequests.get(name) ?? Promise.resolve(table[name].succeeds(fixture));
  validRequests.set(name, base);
  return base;
}

/** Returns a copy with one other value. @param path such as `body.products.0.itemId` */
function changed(request: RequestParts, path: string, value: unknown): RequestParts {
  const copy = structuredClone(request) as Record<string, any>;
  const keys = path.split('.');
  const last = keys.pop()!;
  const holder = keys.reduce((it: any, key) => (it[key] ??= {}), copy);
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return copy;
}

function expectProblem(response: ApiResponse, status: number, code?: string): void {
  expect([response.status, response.body.code]).toEqual([status, code ?? response.body.code]);
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(() => ProblemResponse.parse(response.body)).not.toThrow();
}

const pathsOf = ({ body }: ApiResponse): string[] => [...new Set<string>(body.errors?.map((it: any) => it.path))];

type CheckRunner<Kind extends Check['kind']> = (
  name: OperationName,
  check: Extract<Check, { kind: Kind }>,
) => Promise<void>;

const checkRunners: { readonly [Kind in Check['kind']]: CheckRunner<Kind> } = {
  async success(name, { request }) {
    const { status, response: schema } = operationOf(name);
    const response = await send(name, await request(fixture));
    expect([response.status, response.body.errors]).toEqual([status, undefined]);
    expect(response.headers.get('x-request-id')).toMatch(/^[\w.:-]+$/);
    if (!schema) expect(response.body).toBe('');
    else expect(schema.safeParse(response.body).error?.issues).toBeUndefined();
  },

  async lenient(name) {
    const { status } = operationOf(name);
    const [path = '', query = ''] = addressOf(name, await validRequestOf(name)).split('?');
    const { apiKey: token } = fixture.me;
    for (const address of [`${path}/?${query}`, `${path}?${query}&nonsense=1&a[b]=c&__proto__=x`])
      expect([address, (await call('GET', address, { token })).status]).toEqual([address, status]);
    const head = await call('HEAD', `${path}?${query}`, { token });
    // GET marks activities as read, or returns a stream
    const hasHead = name !== 'activities.list' && name !== 'events.stream';
    expect([head.status, head.body]).toEqual([hasHead ? status : 405, '']);
  },

  async conditional(name) {
    const base = await validRequestOf(name);
    const etag = (await send(name, base)).headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const known of [etag, `"x", ${etag}`, '*', `W/${etag}`]) {
      const again = await send(name, base, { headers: { 'if-none-match': known } });
      expect([known, again.status, again.body, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    expect((await send(name, base, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  },

  async field(name, { path, values }) {
    const base = await validRequestOf(name);
    const responses = await Promise.all(values.map((value) => send(name, changed(base, path, value))));
    const found = responses.map(({ status, body }, at) => [values[at], status, body.code, pathsOf(responses[at]!)]);
    expect(found).toEqual(values.map((value) => [value, 400, 'request.invalid', [path]]));
    for (const response of responses) expectProblem(response, 400);
    if (!path.startsWith('query.')) return;
    const twice = await call('GET', `${addressOf(name, base)}&${path.slice(6)}=1`, { token: fixture.me.apiKey });
    expect([twice.status, pathsOf(twice)]).toEqual([400, [path]]);
  },

  async body(name, { body, path }) {
    const response = await send(name, await validRequestOf(name), { body });
    expectProblem(response, 400);
    expect(pathsOf(response)).toEqual([path]);
  },

  async key(name) {
    for (const key of ['', 'x'.repeat(256), 'é']) {
      const response = await send(name, await validRequestOf(name), { headers: { 'idempotency-key': key } });
      expectProblem(response, 400, 'request.invalid');
      expect(pathsOf(response)).toEqual(['headers.idempotency-key']);
    }
  },

  async token(name, { token }) {
    const tokens = {
      none: [{}, 'token.missing', 'Bearer'],
      junk: [{ token: 'x'.repeat(43) }, 'token.invalid', 'Bearer error="invalid_token"'],
      'read-only': [
        { token: fixture.readOnlyToken },
        'token.insufficient-scope',
        'Bearer error="insufficient_scope", scope="write"',
      ],
    } as const;
    const [sent, code, challenge] = tokens[token];
    const { body } = await validRequestOf(name);
    const response = await call(operationOf(name).method, addressOf(name, await validRequestOf(name)), {
      ...sent,
      body,
    });
    expectProblem(response, 401, code);
    expect(response.headers.get('www-authenticate')).toBe(challenge);
  },

  async rejected(name, { request, code, path }) {
    const response = await send(name, await request(fixture));
    expectProblem(response, problems[code].status, code);
    if (path !== undefined) expect(pathsOf(response)).toEqual([path]);
  },

  async omitted(name, { request, ids, hidden }) {
    const response = await send(name, await request(fixture));
    expect(response.status).toBe(200);
    expect(ids(response.body)).not.toContain(hidden(fixture));
    const asOwner = await send(name, await request(fixture), { token: fixture.other.apiKey });
    // The owner sees the resource, so it exists
    expect(ids(asOwner.body)).toContain(hidden(fixture));
  },

  async method(name) {
    // The body of a request without a route is not parsed, with and without a token
    for (const options of [{ token: fixture.me.apiKey, body: '{"x": ' }, {}]) {
      const response = await call('PATCH', addressOf(name, await validRequestOf(name)), options);
      expectProblem(response, 405, 'request.method-not-allowed');
      expect(response.headers.get('allow')!.split(', ')).toContain(operationOf(name).method);
    }
  },

  async conflict(name) {
    const base = await Promise.resolve((table[name] as Row).succeeds(fixture));
    const headers = { 'idempotency-key': randomUUID() };
    const first = await send(name, base, { headers });
    expect([first.status, first.body.errors]).toEqual([operationOf(name).status, undefined]);
    const other = await send(name, changed(base, 'body.other', true), { headers });
    expectProblem(other, 409, 'idempotency-key.reused');
  },

  async 'too large'(name, { bytes }) {
    const body = `{"x":"${'x'.repeat(bytes - 8)}"}`;
    expect(Buffer.byteLength(body)).toBe(bytes);
    expectProblem(await send(name, await validRequestOf(name), { body }), 413, 'request.too-large');
  },

  async 'media type'(name) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expectProblem(
        await send(name, await validRequestOf(name), { body: 'title=x', headers: { 'content-type': type } }),
        415,
        'request.unsupported-media-type',
      );
  },

  async limit(name, { request }) {
    const token = fixture.eager.apiKey;
    const first = await send(name, request, { token });
    const left = Number(first.headers.get('x-ratelimit-remaining'));
    expect(left).toBeGreaterThan(0);
    const responses = await inWaves(left, () => send(name, request, { token }));
    expect(responses.filter(({ status }) => status === 429)).toEqual([]);
    const over = await send(name, request, { token });
    expectProblem(over, 429, 'rate-limit.exceeded');
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(over.headers.get('x-ratelimit-remaining')).toBe('0');
  },
};

/** Returns the cells of an operation with test cases. */
const cellsOf = (name: OperationName): [column: string, checks: readonly Check[]][] =>
  columnNames.flatMap((column) => {
    const cell: Cell = columns[column](name);
    return typeof cell === 'string' ? [] : [[column, cell]];
  });

describe.each(operationNames)('%s', (name) => {
  describe.each(cellsOf(name))('%s', (_, checks) => {
    it.each(checks.map((check) => [titleOf(check), check] as const))('%s', async (_, check) => {
      await (checkRunners[check.kind] as (name: OperationName, check: Check) => Promise<void>)(name, check);
    });
  });
});
