import { appendFileSync } from 'node:fs';
import { URLSearchParams } from 'node:url';
import { secretsIn } from './secrets.mjs';

// Setup of every test file of the project e2e: records secrets in requests and responses, which the
// teardown looks for in the logs.

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

/**
 * Returns whether a response is text. Without a content type it is: the test server that runs
 * operator commands (operator.ts) sends none.
 */
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
