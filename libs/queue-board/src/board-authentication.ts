import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { InternalResponse } from '#observability';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Name of the only user, which browsers ask for beside the password. */
const user = 'operator';

const maxWrongPerMinute = 10;
const windowSeconds = 60;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const rejection = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): InternalResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  headers,
  body: `${JSON.stringify({ status: message })}\n`,
});

/**
 * Authentication of the operator by password. Rejects requests other than GET and HEAD that do not
 * come from the board's own pages, and addresses with too many wrong passwords.
 */
export class BoardAuthentication {
  private readonly expected: Buffer;
  private readonly failures = new RateLimiterMemory({ points: maxWrongPerMinute, duration: windowSeconds });

  constructor(password: string) {
    this.expected = digest(`${user}:${password}`);
  }

  /** Returns the response to a rejected request; undefined for a request that may continue. */
  async rejectionOf(request: IncomingMessage): Promise<InternalResponse | undefined> {
    const { authorization = '', host } = request.headers;
    const given = /^Basic ([\w+/]+={0,2})$/i.exec(authorization)?.[1];
    const address = request.socket.remoteAddress ?? '';
    const counted = await this.failures.get(address);
    // Also with the correct password, so that no response confirms a guess
    if (given !== undefined && counted && counted.consumedPoints >= maxWrongPerMinute)
      return rejection(429, 'too many failed sign-ins', { 'retry-after': String(windowSeconds) });
    if (given === undefined || !timingSafeEqual(digest(Buffer.from(given, 'base64').toString()), this.expected)) {
      if (given !== undefined) await this.failures.penalty(address);
      return rejection(401, 'authentication required', { 'www-authenticate': 'Basic realm="queues", charset="UTF-8"' });
    }
    return ['GET', 'HEAD'].includes(request.method!) || isSameOrigin(request, host)
      ? undefined
      : rejection(403, 'cross-site request rejected');
  }
}

/**
 * Returns true for a request of the board's own pages. A browser adds the password to requests of
 * every site, and names the site in a header.
 */
function isSameOrigin({ headers }: IncomingMessage, host: string | undefined): boolean {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && URL.canParse(origin) && new URL(origin).host === host;
}
