import { inspect } from 'node:util';
import { type Operation, operations, ProblemResponse } from '#contracts';
import { Documents } from '../documents/documents.js';
import { operationNames } from './endpoint-checks.js';
import { type Asked, table, type World } from './endpoint-table.js';
import { makeWorld } from './endpoint-world.js';
import { type Generated, requestOf, sampleParts } from './generated-requests.js';
import { api, baseUrl } from '../support/shop.js';

// One seed: whether a change is good must not depend on luck. Others are for who looks for defects
const count = Number(process.env.PROPERTY_REQUESTS ?? 1_200);
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_123);
/** A gateway takes 40 however slowly it answers, and has those of another test too. */
const atOnce = 8;
const answerWithinMs = 20_000;

/** A request for people, without its token. */
function shown({ name, method, address, headers, body = '' }: Generated): string {
  const plain = JSON.stringify({ ...headers, authorization: undefined });
  return [`${name}:`, method, address.slice(0, 300), plain.slice(0, 300), body.slice(0, 600)].join(' ');
}

describe('whatever is asked', () => {
  let world: World;
  let documents: Documents;
  const bases = new Map<string, Asked>();
  /** The operations that have answered a generated request with success: what fails all the time shows nothing. */
  const succeeded = new Set<string>();

  beforeAll(async () => {
    world = await makeWorld();
    const [openApi, schema] = await Promise.all(
      ['/openapi.json', '/schema'].map((path) => api('GET', path, { token: world.me.apiKey })),
    );
    documents = new Documents(openApi!.body, schema!.body);
    for (const [name, row] of Object.entries(table)) bases.set(name, await row.succeeds(world));
  });

  /** What is wrong with the answer to a request; undefined when nothing is. */
  async function defectOf({ name, method, address, headers, body }: Generated): Promise<string | undefined> {
    const operation: Operation = operations[name];
    let answer: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(answerWithinMs);
      answer = await fetch(`${baseUrl}${address}`, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      });
      text = await answer.text();
    } catch (error) {
      return `no answer: ${inspect(error)}`;
    }
    const { status } = answer;
    if (status >= 500) return `a failure of the service: ${text}`;
    if (answer.headers.get('x-request-id') === null) return 'no X-Request-Id';
    if (method === 'HEAD' || method === 'OPTIONS') return undefined;
    if (status === 304) return text === '' ? undefined : '304 with a body';
    const refusal = status >= 400 ? problemDefect(status, answer.headers.get('content-type'), text) : undefined;
    if (refusal !== undefined || method !== operation.method) return refusal;
    try {
      documents.expectDescribed(method, address, { status, body: text === '' ? '' : JSON.parse(text) });
    } catch (error) {
      return (error as Error).message;
    }
    if (status === operation.status) succeeded.add(name);
    return undefined;
  }

  function problemDefect(status: number, contentType: string | null, text: string): string | undefined {
    if (contentType !== 'application/problem+json; charset=utf-8') return `a refusal as ${contentType}: ${text}`;
    const problem = ProblemResponse.safeParse(JSON.parse(text));
    if (!problem.success) return `no problem document: ${JSON.stringify(problem.error.issues)}`;
    const { data } = problem;
    if (data.status !== status) return `status ${status}, but ${data.status} in the body`;
    const places = (data.errors ?? []).map(({ path }) => path);
    if (places.some((path) => !/^(?:params|query|body|headers)(?:\.|$)/.test(path))) return `odd paths: ${text}`;
    if (status === 400 && places.length === 0 && data.detail !== 'The address cannot be decoded.')
      return `a 400 that names no path: ${text}`;
    return undefined;
  }

  it(`is answered, with no failure and in the shape of its contract (${count} requests, seed ${seed})`, async () => {
    const defects: string[] = [];
    const queue = sampleParts(count, seed)
      .map((parts) => requestOf(parts, bases.get(parts.name)!, world))
      .values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const request of queue) {
          if (defects.length >= 20) return;
          const defect = await defectOf(request);
          if (defect !== undefined) defects.push(`${shown(request)}\n  ${defect.slice(0, 800)}`);
        }
      }),
    );
    if (defects.length > 0) throw new Error(`PROPERTY_SEED=${seed}\n${defects.join('\n')}`);
    expect(operationNames.filter((name) => !succeeded.has(name))).toEqual([]);
  }, 120_000);
});
