import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayEnv } from '../../env.js';
import { Cookies } from './cookies.js';
import { PageContext } from './page-context.js';

const cookies = new Cookies({ BASE_URL: 'https://shop.example.com/below' } as GatewayEnv);
const expired = expect.objectContaining({ kind: expect.objectContaining({ code: 'form.not-ours' }) });

/** A visit of a browser that sends this cookie, and what it is told to keep. */
function visit(value?: string) {
  const set: [name: string, value: string, attributes: object][] = [];
  const reply = {
    setCookie: (...cookie: (typeof set)[number]) => set.push(cookie),
    clearCookie: (name: string, attributes: object) => set.push([name, '', attributes]),
  };
  const request = { cookies: { '__Host-visit': value } };
  const opened = new PageContext(
    request as never as FastifyRequest,
    reply as never as FastifyReply,
    cookies,
    'en',
    null,
  );
  return { visit: opened, set };
}
const held = 'h'.repeat(43);
const hostOnly = { path: '/', httpOnly: true, sameSite: 'lax', secure: true };

describe('a visit', () => {
  it('gives a browser its cookie only when a form needs it, once, until the browser is closed', () => {
    const { visit: fresh, set } = visit();
    expect(set).toEqual([]);
    fresh.csrf();
    fresh.csrf();
    expect(set).toEqual([['__Host-visit', fresh.bind(), hostOnly]]);
    expect(fresh.bind()).toMatch(/^[\w-]{43}$/);
  });

  it('takes no other value than one of ours for a cookie', () => {
    for (const value of ['', 'short', `${held}x`, `${held.slice(1)};`, 'あ'.repeat(43)]) {
      const { visit: fresh, set } = visit(value);
      expect(fresh.bind()).not.toBe(value);
      expect(set).toHaveLength(1);
    }
  });

  it('takes the form of its own browser only', () => {
    const { visit: mine, set } = visit(held);
    const csrf = mine.csrf();
    expect(set).toEqual([]);
    expect(csrf).not.toContain(held);
    expect(() => visit(held).visit.checkForm({ csrf })).not.toThrow();
    for (const wrong of [{} as Record<string, string>, { csrf: '' }, { csrf: `${csrf}x` }, { csrf: 'あ'.repeat(43) }])
      expect(() => mine.checkForm(wrong)).toThrow(expired);
    expect(() => visit('i'.repeat(43)).visit.checkForm({ csrf })).toThrow(expired);
    expect(() => visit().visit.checkForm({ csrf })).toThrow(expired);
    expect(() => visit().visit.checkForm({ csrf: '' })).toThrow(expired);
  });

  it('masks the value of every form with random bytes of its own, so that compressed pages reveal none of it', () => {
    const { visit: mine } = visit(held);
    const values = Array.from({ length: 50 }, () => mine.csrf());
    for (let at = 0; at < values[0]!.length - 1; at += 1)
      expect(new Set(values.map((value) => value[at])).size).toBeGreaterThan(1);
    for (const csrf of values) expect(() => visit(held).visit.checkForm({ csrf })).not.toThrow();
    const [mask, other] = values.map((value) => value.slice(0, 43));
    expect(() => mine.checkForm({ csrf: mask! })).toThrow(expired);
    expect(() => mine.checkForm({ csrf: `${other}${values[0]!.slice(43)}` })).toThrow(expired);
  });

  it('begins a session that the browser keeps for two weeks, with other forms, and ends', () => {
    const { visit: guest, set } = visit(held);
    const csrf = guest.csrf();
    guest.begin('s'.repeat(43));
    expect(set).toEqual([['__Host-visit', 's'.repeat(43), { ...hostOnly, maxAge: 14 * 86_400 }]]);
    expect(() => guest.checkForm({ csrf })).toThrow(expired);
    guest.end();
    expect(set.at(-1)).toEqual(['__Host-visit', '', hostOnly]);
    expect(() => guest.checkForm({ csrf: '' })).toThrow(expired);
  });
});
