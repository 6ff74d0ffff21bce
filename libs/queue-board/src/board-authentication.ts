import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { InternalPage } from '#observability';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Name of the only user; a browser asks for it beside the password. */
const user = 'operator';

const wrongPerMinute = 10;
const windowSeconds = 60;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const rejection = (status: number, said: string, headers: Readonly<Record<string, string>> = {}): InternalPage => ({
  status,
  type: 'application/json; charset=utf-8',
  headers,
  body: `${JSON.stringify({ status: said })}\n`,
});

/**
 * Authentication of the operator by password. Denies changes that another site has a browser request, and an address with too
 * many wrong passwords.
 */
export class BoardAuthentication {
  private readonly expected: Buffer;
  private readonly wrong = new RateLimiterMemory({ points: wrongPerMinute, duration: windowSeconds });

  constructor(password: string) {
    this.expected = digest(`${user}:${password}`);
  }

  /** Returns undefined for an authenticated request. */
  async rejectionOf(request: IncomingMessage): Promise<InternalPage | undefined> {
    const { authorization = '', host } = request.headers;
    const given = /^Basic ([\w+/]+={0,2})$/i.exec(authorization)?.[1];
    const address = request.socket.remoteAddress ?? '';
    const counted = await this.wrong.get(address);
    // Also with the right password, so that no response reveals which one that is
    if (given !== undefined && counted && counted.consumedPoints >= wrongPerMinute)
      return rejection(429, 'too many wrong passwords', { 'retry-after': String(windowSeconds) });
    if (given === undefined || !timingSafeEqual(digest(Buffer.from(given, 'base64').toString()), this.expected)) {
      if (given !== undefined) await this.wrong.penalty(address);
      return rejection(401, 'who are you?', { 'www-authenticate': 'Basic realm="queues", charset="UTF-8"' });
    }
    return ['GET', 'HEAD'].includes(request.method!) || isFromHere(request, host)
      ? undefined
      : rejection(403, 'only the board itself changes something');
  }
}

/** A browser adds the password to the requests of every site, and names the site in a header. */
function isFromHere({ headers }: IncomingMessage, host: string | undefined): boolean {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && URL.canParse(origin) && new URL(origin).host === host;
}
