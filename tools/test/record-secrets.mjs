import { appendFileSync } from 'node:fs';
import { URLSearchParams } from 'node:url';
import { secretsIn } from './secrets.mjs';

// Setup of every e2e test file: records secrets in requests and responses for the check at the end
// of the run.

const file = process.env.E2E_SECRETS;
const { fetch, Headers, Request } = globalThis;

const recorded = new Set();

/** @param {Headers} headers @param {string} body */
function recordSecrets(headers, body) {
  for (const secret of secretsIn(headers, body)) {
    if (recorded.has(secret)) continue;
    recorded.add(secret);
    appendFileSync(file, `${JSON.stringify(secret)}\n`);
  }
}

/** The test server that runs operator commands (operator.ts) sends no content type. */
const isText = ({ headers }) => /json|html|form/.test(headers.get('content-type') ?? 'json');

/** Returns a text body. Streams are not read, because a stream can be read only once. */
const textOf = (body) => (typeof body === 'string' || body instanceof URLSearchParams ? String(body) : '');

globalThis.fetch = async (...parameters) => {
  const [address, { headers, body } = {}] = parameters;
  if (!(address instanceof Request)) recordSecrets(new Headers(headers), textOf(body));
  const response = await fetch(...parameters);
  // Not awaited: a test may abort the response
  if (isText(response))
    void response
      .clone()
      .text()
      .then(
        (text) => recordSecrets(response.headers, text),
        () => undefined,
      );
  else recordSecrets(response.headers, '');
  return response;
};
