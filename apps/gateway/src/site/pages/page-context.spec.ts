import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayEnv } from '../../env.js';
import { Cookies } from './cookies.js';
import { PageContext } from './page-context.js';

const cookies = new Cookies({ BASE_URL: 'https://shop.example.com/below' } as GatewayEnv);
const isExpiredForm = expect.objectContaining({ kind: expect.objectContaining({ code: 'form.not-ours' }) });

/** Returns the context of a request with this session cookie, and the cookies that it sets. */
function open(value?: string) {
  const set: [name: string, value: string, attributes: object][] = [];
  const reply = {
    setCookie: (...cookie: (typeof set)[number]) => set.push(cookie),
    clearCookie: (name: string, attributes: object) => set.push([name, '', attributes]),
  };
  const request = { cookies: { '__Host-session': value } };
  const context = new PageContext(
    request as never as FastifyRequest,
    reply as never as FastifyReply,
    cookies,
    'en',
    null,
  );
  return { context, set };
}
const sessionId = 'h'.repeat(43);
const hostOnly = { path: '/', httpOnly: true, sameSite: 'lax', secure: true };

describe('page context', () => {
  it('sets an anonymous session cookie once, when a form needs it, until the browser is closed', () => {
    const { context: anonymous, set } = open();
    expect(set).toEqual([]);
    anonymous.csrfToken();
    anonymous.csrfToken();
    expect(set).toEqual([['__Host-session', anonymous.ensureSessionId(), hostOnly]]);
    expect(anonymous.ensureSessionId()).toMatch(/^[\w-]{43}$/);
  });

  it('replaces a malformed session cookie', () => {
    for (const value of ['', 'short', `${sessionId}x`, `${sessionId.slice(1)};`, 'あ'.repeat(43)]) {
      const { context: anonymous, set } = open(value);
      expect(anonymous.ensureSessionId()).not.toBe(value);
      expect(set).toHaveLength(1);
    }
  });

  it('accepts the form of its own browser only', () => {
    const { context: own, set } = open(sessionId);
    const csrf = own.csrfToken();
    expect(set).toEqual([]);
    expect(csrf).not.toContain(sessionId);
    expect(() => open(sessionId).context.checkCsrfToken({ csrf })).not.toThrow();
    for (const wrong of [{} as Record<string, string>, { csrf: '' }, { csrf: `${csrf}x` }, { csrf: 'あ'.repeat(43) }])
      expect(() => own.checkCsrfToken(wrong)).toThrow(isExpiredForm);
    expect(() => open('i'.repeat(43)).context.checkCsrfToken({ csrf })).toThrow(isExpiredForm);
    expect(() => open().context.checkCsrfToken({ csrf })).toThrow(isExpiredForm);
    expect(() => open().context.checkCsrfToken({ csrf: '' })).toThrow(isExpiredForm);
  });

  it('masks each CSRF token with its own random bytes, so that compressed pages do not reveal it', () => {
    const { context: own } = open(sessionId);
    const values = Array.from({ length: 50 }, () => own.csrfToken());
    for (let at = 0; at < values[0]!.length - 1; at += 1)
      expect(new Set(values.map((value) => value[at])).size).toBeGreaterThan(1);
    for (const csrf of values) expect(() => open(sessionId).context.checkCsrfToken({ csrf })).not.toThrow();
    const [mask, other] = values.map((value) => value.slice(0, 43));
    expect(() => own.checkCsrfToken({ csrf: mask! })).toThrow(isExpiredForm);
    expect(() => own.checkCsrfToken({ csrf: `${other}${values[0]!.slice(43)}` })).toThrow(isExpiredForm);
  });

  it('sets a session cookie for two weeks, invalidates earlier forms, and clears the cookie', () => {
    const { context: anonymous, set } = open(sessionId);
    const csrf = anonymous.csrfToken();
    anonymous.setSession('s'.repeat(43));
    expect(set).toEqual([['__Host-session', 's'.repeat(43), { ...hostOnly, maxAge: 14 * 86_400 }]]);
    expect(() => anonymous.checkCsrfToken({ csrf })).toThrow(isExpiredForm);
    anonymous.clearSession();
    expect(set.at(-1)).toEqual(['__Host-session', '', hostOnly]);
    expect(() => anonymous.checkCsrfToken({ csrf: '' })).toThrow(isExpiredForm);
  });
});
