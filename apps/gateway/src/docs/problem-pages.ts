import { type Problem, problems } from '#contracts';
import { type Page, plainPage } from './pages.js';
import { basePathOf } from '../edge/routing/path.js';

/** What to do about a refusal, by its status. */
const advice: Readonly<Record<number, string>> = {
  400: 'Correct the places that <code>errors</code> names; sent again unchanged, the request is refused again.',
  401: 'Send <code>Authorization: Bearer</code> with a valid token that has the scopes of the operation.',
  403: 'Ask with a token of the owner, or do it with something of your own.',
  404: 'Check the address and the ids in it: what it names is unknown, has been deleted, or is not shown to you.',
  405: 'Use one of the methods that the header <code>Allow</code> names.',
  408: 'Send the request again, without a pause or with a smaller body.',
  409: 'Choose another name, address or key, or wait until the first request with the key has ended.',
  413: 'Send a smaller body; an image may also be given by its address.',
  415: 'Send the body as JSON, with <code>Content-Type: application/json</code>.',
  416: 'Ask for bytes below the size that <code>Content-Range</code> names, or without <code>Range</code> for all.',
  422: 'Change what <code>detail</code> and <code>errors</code> name: the request is understood, but cannot be done.',
  429: 'Wait as many seconds as the header <code>Retry-After</code> says.',
  431: 'Send fewer or shorter headers.',
  500: 'Tell us the <code>requestId</code>: this is our mistake.',
  503: 'Try again, after as many seconds as the header <code>Retry-After</code> says.',
  504: 'Try again; with the same <code>Idempotency-Key</code> it is done once.',
};

const all = Object.values(problems);

function adviceOn(status: number): string {
  const sentence = advice[status];
  if (sentence === undefined) throw new Error(`there is no advice on ${status}`);
  return `    <p>${sentence}</p>`;
}

function listBody(base: string): string {
  const statuses = [...new Set(all.map(({ status }) => status))].sort((a, b) => a - b);
  const entry = ({ code, title }: Problem) =>
    `      <li><a href="${base}/problems/${code}"><code>${code}</code></a>: ${title}</li>`;
  const section = (status: number) => `    <h2>${status}</h2>
${adviceOn(status)}
    <ul>
${all
  .filter((it) => it.status === status)
  .map(entry)
  .join('\n')}
    </ul>`;
  return `    <h1>What can go wrong</h1>
${statuses.map(section).join('\n')}
    <p><a href="${base}/docs">Interactive documentation</a></p>`;
}

const problemBody = (base: string, { code, status, title }: Problem) => `    <h1>${title}</h1>
    <p><code>${code}</code>, HTTP status ${status}</p>
${adviceOn(status)}
    <p><a href="${base}/problems">All that can go wrong</a>, <a href="${base}/docs">interactive documentation</a></p>`;

/** The pages about refusals: of all, and of each by its code. */
export function problemPages(baseUrl: string): { list: Page; ofCode: Readonly<Record<string, Page>> } {
  const base = basePathOf(baseUrl);
  return {
    list: plainPage('What can go wrong', listBody(base)),
    ofCode: Object.fromEntries(all.map((it) => [it.code, plainPage(it.title, problemBody(base, it))])),
  };
}
