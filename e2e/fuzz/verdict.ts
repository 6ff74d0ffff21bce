import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ProblemResponse } from '#contracts';
import type { RawResponse } from './response-reader.js';
import { canaries } from './canaries.js';
import type { WireOutcome, RawRequest } from './wire.js';
import { redirectUri } from './fuzz-fixture.js';

/** Statuses of rejections under load. */
const overloadStatuses: ReadonlySet<number> = new Set([503, 504]);

/** Internal details that no rejection or failure may contain: paths, modules, SQL, error names. */
const internalDetails =
  /\n {4}at |node:internal|node_modules|\/dist\/|\bselect\b.{1,200}\bfrom\b|syntax error at or near|QueryFailedError|WRONGTYPE|ERR_[A-Z]{3}|ECONNREFUSED|TypeError|RangeError|SyntaxError/i;

const oauthErrors: ReadonlySet<unknown> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope', 'invalid_token', 'unauthorized_client'],
  ...['unsupported_grant_type', 'unsupported_token_type', 'temporarily_unavailable'],
]);

/** Returns the defect of an outcome; undefined if there is none. */
export function defectOf(
  { responses, how, before }: WireOutcome,
  { isSound }: RawRequest,
  baseUrl: string,
): string | undefined {
  if (how === 'silent')
    return `neither a response nor the end of the connection, behind ${JSON.stringify(before?.toString('latin1'))}`;
  if (isSound && how === 'closed') return 'the connection was closed without a response';
  for (const response of responses) {
    const defect = response.defect ?? headDefect(response, baseUrl) ?? bodyDefect(response);
    if (defect !== undefined) return `${defect}\n${response.head}\n\n${response.body.toString('utf8').slice(0, 600)}`;
  }
  return undefined;
}

function headDefect({ status, head, headers }: RawResponse, baseUrl: string): string | undefined {
  if (status >= 500 && !overloadStatuses.has(status)) return `status ${status}`;
  if (status === 503 && !headers.has('retry-after')) return '503 without Retry-After';
  const requestId = headers.get('x-request-id');
  if (requestId === undefined) return 'no X-Request-Id';
  if (!/^[\w.:-]{1,128}$/.test(requestId)) return 'an invalid X-Request-Id';
  if (headers.has(canaries.header)) return 'an injected header';
  if (head.includes(canaries.host)) return 'an address under the host that the client has named';
  const location = headers.get('location');
  if (location !== undefined && !isOfSite(location, baseUrl)) return 'leads away from the site';
  const link = headers.get('link');
  if (link?.includes('rel="next"') && !link.startsWith(`<${baseUrl}/api/v1/`)) return 'a next page of another site';
  return undefined;
}

/**
 * Returns whether a redirect leads to the site or to the redirect URI of the registered
 * application.
 */
const isOfSite = (location: string, baseUrl: string): boolean =>
  URL.canParse(location, baseUrl) &&
  (new URL(location, baseUrl).origin === new URL(baseUrl).origin || location.startsWith(`${redirectUri}?`));

function bodyDefect(response: RawResponse): string | undefined {
  const { status, headers } = response;
  let text: string;
  try {
    text = textOf(response);
  } catch {
    return 'a body that does not match its content-encoding';
  }
  if (text.includes(canaries.host)) return 'an address under the host that the client has named';
  const type = headers.get('content-type') ?? '';
  if (status >= 400 && internalDetails.test(text)) return 'contains internal details';
  if (type.startsWith('text/html')) return text.includes(canaries.script) ? 'an injected script' : undefined;
  if (status < 400 || text === '') return undefined;
  if (type === 'application/problem+json; charset=utf-8') return problemDefect(response, text);
  if (type !== 'application/json; charset=utf-8') return `a rejection as ${type}`;
  const { error } = JSON.parse(text) as { error?: unknown };
  return oauthErrors.has(error) ? undefined : 'a rejection in JSON that is no problem document';
}

function textOf({ headers, body }: RawResponse): string {
  const coding = headers.get('content-encoding');
  if (body.length === 0 || coding === undefined) return body.toString();
  return (coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}

function problemDefect({ status, headers }: RawResponse, text: string): string | undefined {
  const problem = ProblemResponse.safeParse(JSON.parse(text));
  if (!problem.success) return `no problem document: ${JSON.stringify(problem.error.issues)}`;
  if (problem.data.status !== status) return `status ${status}, but ${problem.data.status} in the body`;
  return problem.data.requestId === headers.get('x-request-id') ? undefined : 'another request id in the body';
}

/** Problem codes of requests that the gateway rejects without a service. */
const gatewayCodes = /^(?:request|token|form)\./;

/**
 * Returns whether a service has handled the request, as far as the response shows: each 2xx, and
 * each problem whose code is not of the gateway.
 */
export function reachedServices({ status, headers, body }: RawResponse): boolean {
  if (status < 300) return true;
  if (status < 400 || !headers.get('content-type')?.startsWith('application/problem+json')) return false;
  if (headers.has('content-encoding')) return false;
  const code = /"code":"([\w.-]+)"/.exec(body.toString('latin1'))?.[1];
  return code !== undefined && !gatewayCodes.test(code);
}
