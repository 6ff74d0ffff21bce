import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { InternalPage } from '#observability';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Whom the password is for; a browser asks for both. */
const user = 'operator';

const wrongPerMinute = 10;
const windowSeconds = 60;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const refusal = (status: number, said: string, headers: Readonly<Record<string, string>> = {}): InternalPage => ({
  status,
  type: 'application/json; charset=utf-8',
  headers,
  body: `${JSON.stringify({ status: said })}\n`,
});

/** Lets in who has the password, and lets nothing be changed that another site has a browser ask for. */
export class Gate {
  private readonly expected: Buffer;
  private readonly wrong = new RateLimiterMemory({ points: wrongPerMinute, duration: windowSeconds });

  constructor(password: string) {
    this.expected = digest(`${user}:${password}`);
  }

  /** Undefined for who may go on. */
  async refusalOf(request: IncomingMessage): Promise<InternalPage | undefined> {
    const { authorization = '', host } = request.headers;
    const given = /^Basic ([\w+/]+={0,2})$/i.exec(authorization)?.[1];
    const address = request.socket.remoteAddress ?? '';
    const counted = await this.wrong.get(address);
    // Also for the right one: nobody learns from an answer which it would have been
    if (given !== undefined && counted && counted.consumedPoints >= wrongPerMinute)
      return refusal(429, 'too many wrong passwords', { 'retry-after': String(windowSeconds) });
    if (given === undefined || !timingSafeEqual(digest(Buffer.from(given, 'base64').toString()), this.expected)) {
      if (given !== undefined) await this.wrong.penalty(address);
      return refusal(401, 'who are you?', { 'www-authenticate': 'Basic realm="queues", charset="UTF-8"' });
    }
    return ['GET', 'HEAD'].includes(request.method!) || isFromHere(request, host)
      ? undefined
      : refusal(403, 'only the board itself changes something');
  }
}

/** A browser adds the password to whatever any site asks of it, and says where that came from. */
function isFromHere({ headers }: IncomingMessage, host: string | undefined): boolean {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && URL.canParse(origin) && new URL(origin).host === host;
}
