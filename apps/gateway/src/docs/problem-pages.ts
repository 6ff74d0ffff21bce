import { type Problem, type ProblemCode, problems } from '#contracts';
import { type Page, plainPage } from './pages.js';
import { basePathOf } from '../edge/routing/path.js';

/** Advice on errors by HTTP status, as HTML. */
const advice: Readonly<Record<number, string>> = {
  400: 'Correct the fields listed in <code>errors</code>. Do not retry the request unchanged.',
  401: 'Send a valid access token with the scopes of the operation in the header <code>Authorization: Bearer</code>.',
  403: 'Use an access token of the owner, or a resource of your own.',
  404: 'Check the path and its identifiers. The resource does not exist, was deleted, or is not visible to you.',
  405: 'Use one of the methods listed in the header <code>Allow</code>.',
  408: 'Retry the request without pauses, or with a smaller body.',
  409: 'Use another name, address or idempotency key, or wait until the first request with the key has completed.',
  413: 'Send a smaller body. Instead of the image of a material, its URL can be sent.',
  415: 'Send the body as JSON, with <code>Content-Type: application/json</code>.',
  416: 'Request a range below the size in <code>Content-Range</code>, or omit <code>Range</code>.',
  422: 'Correct the request as described in <code>detail</code> and <code>errors</code>: it is well-formed, but violates a rule.',
  429: 'Retry the request after the number of seconds in the header <code>Retry-After</code>.',
  431: 'Send fewer or shorter headers.',
  500: 'Report the <code>requestId</code> to the operator. The request itself may be correct.',
  501: 'Request the format named in <code>detail</code>.',
  503: 'Retry the request after the number of seconds in the header <code>Retry-After</code>.',
  504: 'Retry the request. With the same <code>Idempotency-Key</code> it is executed at most once.',
};

/** Advice on errors that the advice on their status does not help with. */
const adviceByCode: { readonly [Code in ProblemCode]?: string } = {
  'form.not-ours': 'Reload the page and send the form again.',
  'request.operator-only': 'Only the operator can send this request.',
};

const all = Object.values(problems);

function adviceOn(status: number): string {
  const sentence = advice[status];
  if (sentence === undefined) throw new Error(`missing advice for status ${status}`);
  return sentence;
}

function listBody(base: string): string {
  const statuses = [...new Set(all.map(({ status }) => status))].sort((a, b) => a - b);
  const entry = ({ code, title }: Problem) =>
    `      <li><a href="${base}/problems/${code}"><code>${code}</code></a>: ${[title, adviceByCode[code]].filter(Boolean).join('. ')}</li>`;
  const section = (status: number) => `    <h2>${status}</h2>
    <p>${adviceOn(status)}</p>
    <ul>
${all
  .filter((it) => it.status === status)
  .map(entry)
  .join('\n')}
    </ul>`;
  return `    <h1>Error codes</h1>
${statuses.map(section).join('\n')}
    <p><a href="${base}/docs">Interactive documentation</a></p>`;
}

const problemBody = (base: string, { code, status, title }: Problem) => `    <h1>${title}</h1>
    <p><code>${code}</code>, HTTP status ${status}</p>
    <p>${adviceByCode[code] ?? adviceOn(status)}</p>
    <p><a href="${base}/problems">All error codes</a>, <a href="${base}/docs">interactive documentation</a></p>`;

/** Returns the page of all error codes, and a page for each code. */
export function problemPages(baseUrl: string): { list: Page; byCode: Readonly<Record<string, Page>> } {
  const base = basePathOf(baseUrl);
  return {
    list: plainPage('Error codes', listBody(base)),
    byCode: Object.fromEntries(all.map((it) => [it.code, plainPage(it.title, problemBody(base, it))])),
  };
}
