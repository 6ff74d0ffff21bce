import { appendFileSync } from 'node:fs';
import { URLSearchParams } from 'node:url';
import { secretsIn } from './secrets.mjs';

// In every file of e2e tests: what is sent and answered is looked at for secrets, which are noted for the end of the run.

const file = process.env.E2E_SECRETS;
const { fetch, Headers, Request } = globalThis;

const noted = new Set();

/** @param {Headers} headers @param {string} body */
function note(headers, body) {
  for (const secret of secretsIn(headers, body)) {
    if (noted.has(secret)) continue;
    noted.add(secret);
    appendFileSync(file, `${JSON.stringify(secret)}\n`);
  }
}

/** The operator command says no type. */
const isText = ({ headers }) => /json|html|form/.test(headers.get('content-type') ?? 'json');

/** What is sent is not read here: a stream can be read once. */
const textOf = (body) => (typeof body === 'string' || body instanceof URLSearchParams ? String(body) : '');

globalThis.fetch = async (...parameters) => {
  const [address, { headers, body } = {}] = parameters;
  if (!(address instanceof Request)) note(new Headers(headers), textOf(body));
  const answer = await fetch(...parameters);
  // Beside: a test that gives an answer up, gives it up here too
  if (isText(answer))
    void answer
      .clone()
      .text()
      .then(
        (text) => note(answer.headers, text),
        () => undefined,
      );
  else note(answer.headers, '');
  return answer;
};
