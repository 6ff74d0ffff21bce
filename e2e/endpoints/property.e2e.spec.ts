import { inspect } from 'node:util';
import { type Operation, operations, ProblemResponse } from '#contracts';
import { ResponseValidator } from '../documents/response-validator.js';
import { operationNames } from './endpoint-checks.js';
import { type RequestParts, table, type EndpointFixture } from './endpoint-table.js';
import { createEndpointFixture } from './endpoint-fixture.js';
import {
  type GeneratedParts,
  type GeneratedRequest,
  hasEnd,
  requestOf,
  sampleParts,
  validParts,
} from './generated-requests.js';
import { api, baseUrl } from '../support/shop.js';

// Number of requests, and a seed that is fixed for reproducible results
const requestCount = Number(process.env.PROPERTY_REQUESTS ?? 2_400);
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_123);
/** Concurrent requests, few enough for a gateway that also serves a parallel test. */
const atOnce = 8;
const responseTimeoutMs = 20_000;

/** Formats a request for an error message, without its token. */
function formatRequest({ name, method, address, headers, body = '' }: GeneratedRequest): string {
  const plain = JSON.stringify({ ...headers, authorization: undefined });
  return [`${name}:`, method, address.slice(0, 300), plain.slice(0, 300), body.slice(0, 600)].join(' ');
}

describe('generated requests', () => {
  let fixture: EndpointFixture;
  let documents: ResponseValidator;
  const validRequests = new Map<string, RequestParts>();
  /** Operations with a success. Every one must have one, because rejections alone show little. */
  const succeeded = new Set<string>();

  beforeAll(async () => {
    fixture = await createEndpointFixture();
    const [openApi, schema] = await Promise.all(
      ['/openapi.json', '/schema'].map((path) => api('GET', path, { token: fixture.me.apiKey })),
    );
    documents = new ResponseValidator(openApi!.body, schema!.body);
    for (const [name, row] of Object.entries(table)) validRequests.set(name, await row.succeeds(fixture));
  });

  /** Returns the defect of a response; undefined if there is none. */
  async function defectOf({ name, method, address, headers, body }: GeneratedRequest): Promise<string | undefined> {
    const operation: Operation = operations[name];
    let response: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(responseTimeoutMs);
      response = await fetch(`${baseUrl}${address}`, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      });
      text = await response.text();
    } catch (error) {
      return `no response: ${inspect(error)}`;
    }
    const { status } = response;
    // Costly requests may be rejected while others of the sample run
    if (status >= 500 && !text.includes('service.overloaded')) return `a failure of the service: ${text}`;
    if (response.headers.get('x-request-id') === null) return 'no X-Request-Id';
    if (method === 'HEAD' || method === 'OPTIONS') return undefined;
    if (status === 304) return text === '' ? undefined : '304 with a body';
    const rejection = status >= 400 ? problemDefect(status, response.headers.get('content-type'), text) : undefined;
    if (rejection !== undefined || method !== operation.method) return rejection;
    try {
      documents.expectDescribed(method, address, { status, body: text === '' ? '' : JSON.parse(text) });
    } catch (error) {
      return (error as Error).message;
    }
    if (status === operation.status) succeeded.add(name);
    return undefined;
  }

  function problemDefect(status: number, contentType: string | null, text: string): string | undefined {
    if (contentType !== 'application/problem+json; charset=utf-8') return `a rejection as ${contentType}: ${text}`;
    const problem = ProblemResponse.safeParse(JSON.parse(text));
    if (!problem.success) return `no problem document: ${JSON.stringify(problem.error.issues)}`;
    const { data } = problem;
    if (data.status !== status) return `status ${status}, but ${data.status} in the body`;
    const places = (data.errors ?? []).map(({ path }) => path);
    if (places.some((path) => !/^(?:params|query|body|headers)(?:\.|$)/.test(path))) return `unexpected paths: ${text}`;
    if (status === 400 && places.length === 0 && data.detail !== 'The URL cannot be decoded.')
      return `a 400 that names no path: ${text}`;
    return undefined;
  }

  it(`get responses valid against the contract, without failures (${requestCount} requests, seed ${seed})`, async () => {
    const defects: string[] = [];
    const requestsOf = (parts: readonly GeneratedParts[]) =>
      parts.map((it) => requestOf(it, validRequests.get(it.name)!, fixture)).values();
    const send = async (requests: Iterable<GeneratedRequest>): Promise<void> => {
      for (const request of requests) {
        if (defects.length >= 20) return;
        const defect = await defectOf(request);
        if (defect !== undefined) defects.push(`${formatRequest(request)}\n  ${defect.slice(0, 800)}`);
      }
    };
    // A valid request of each operation first, because a sample may have none. One at a time:
    // a replay of all failed deliveries rejects a concurrent replay of one of them
    await send(requestsOf(operationNames.filter(hasEnd).map((name) => validParts(name, validRequests.get(name)!))));
    const sample = requestsOf(sampleParts(requestCount, seed));
    await Promise.all(Array.from({ length: atOnce }, () => send(sample)));
    if (defects.length > 0) throw new Error(`PROPERTY_SEED=${seed}\n${defects.join('\n')}`);
    expect(operationNames.filter((name) => hasEnd(name) && !succeeded.has(name))).toEqual([]);
  }, 120_000);
});
