import { URLSearchParams } from 'node:url';

// Finds secrets in messages of the e2e tests, and in the output of the stack. All `fetch` calls are
// observed, so that tests need not register secrets.

const names = [
  ...['apiKey', 'token', 'accessToken', 'access_token', 'refreshToken', 'refresh_token', 'id_token', 'session'],
  ...['password', 'newPassword', 'clientSecret', 'client_secret', 'code_verifier', 'csrf'],
];
const json = new RegExp(`"(?:${names.join('|')})"\\s*:\\s*"([^"\\\\]+)"`, 'g');
const field = new RegExp(`(?:name|id)="(?:${names.join('|')})" value="([^"]+)"`, 'g');
const formFieldNames = new Set([...names, 'code']);

/** Shortest secret; shorter values are common words. */
const minSecretLength = 8;

/** @param {string} text */
const pairsOf = (text) =>
  [...new URLSearchParams(text)].filter(([name]) => formFieldNames.has(name)).map(([, value]) => value);

/** @param {string} cookies `session=...; language=en`, or a line of Set-Cookie */
const cookiesOf = (cookies) => [...cookies.matchAll(/session=([^;\s]+)/g)].map(([, value]) => value);

/** @param {string} authorization `Bearer ...`, or `Basic ...` with the secret after the colon */
function credentialsOf(authorization) {
  const [scheme, value = ''] = authorization.split(' ');
  if (!/^basic$/i.test(scheme)) return [value];
  const pair = Buffer.from(value, 'base64').toString();
  return [value, pair.slice(pair.indexOf(':') + 1)];
}

/**
 * Returns the secrets in an HTTP request or response.
 * @param {Headers} headers
 * @param {string} body
 * @returns {string[]}
 */
export function secretsIn(headers, body) {
  const location = headers.get('location') ?? '';
  const found = [
    ...credentialsOf(headers.get('authorization') ?? ''),
    ...cookiesOf(headers.get('cookie') ?? ''),
    ...headers.getSetCookie().flatMap(cookiesOf),
    ...pairsOf(location.split('?')[1] ?? ''),
    ...[...body.matchAll(json), ...body.matchAll(field)].map(([, value]) => value),
    ...(/^[\w.%+*~-]+=/.test(body) ? pairsOf(body) : []),
  ];
  return found.filter((secret) => secret.length >= minSecretLength);
}

/**
 * Returns the lines of a log that contain secrets, with the secret redacted.
 * @param {string} log
 * @param {Iterable<string>} secrets
 * @returns {string[]}
 */
export function leaksIn(log, secrets) {
  // Indexed by their first characters, for one pass over the log
  const byStart = new Map();
  for (const secret of new Set([...secrets].flatMap((it) => [it, encodeURIComponent(it)]))) {
    const start = secret.slice(0, minSecretLength);
    byStart.set(start, [...(byStart.get(start) ?? []), secret]);
  }
  const leaks = [];
  for (let at = 0; at + minSecretLength <= log.length; at++) {
    const leaked = byStart.get(log.slice(at, at + minSecretLength))?.find((secret) => log.startsWith(secret, at));
    if (leaked === undefined) continue;
    const [from, end] = [log.lastIndexOf('\n', at) + 1, log.indexOf('\n', at)];
    leaks.push(log.slice(from, end < 0 ? undefined : end).replaceAll(leaked, '[A SECRET]'));
  }
  return [...new Set(leaks)];
}
