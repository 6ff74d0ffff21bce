import type { FastifyReply } from 'fastify';
import type { GatewayEnv } from '../../env.js';
import { PageRenderer } from './page-renderer.js';
import { commonTexts } from './texts/common.js';
import type { PageContext } from './page-context.js';

const pages = new PageRenderer({ BASE_URL: 'https://shop.example.com' } as GatewayEnv);
const context = { language: 'en', user: null, path: '/', csrfToken: () => 'x' } as Partial<PageContext> as PageContext;

/** Renders a page with this data, and returns its response. */
function show(data: object, options: object = {}): { html: string; status: number; headers: Record<string, string> } {
  const sent = { html: '', status: 0, headers: {} };
  const reply = {
    status: (status: number) => ((sent.status = status), reply),
    headers: (headers: object) => (Object.assign(sent.headers, headers), reply),
    header: () => reply,
    type: () => reply,
    send: (html: string) => ((sent.html = html), reply),
  };
  const page = { view: 'redirect', texts: commonTexts, title: () => 'Title', data: { url: '/x', ...data }, ...options };
  pages.show(reply as never as FastifyReply, context, page);
  return sent;
}

describe('page renderer', () => {
  it.each([
    'body',
    'head',
    '__blocks',
    'context',
    't',
    'user',
    'base',
    'title',
    'common',
    'form',
    'errors',
    'stylesheet',
  ])('rejects data named %s, which the layout reads', (key) =>
    expect(() => show({ [key]: '<h1>planted' })).toThrow(`reserved names ${key}`),
  );

  it('escapes other data', () => {
    expect(show({ url: '"><b>' }).html).toContain('href="&quot;&gt;&lt;b&gt;"');
  });

  it('uses status and headers of a rejected form, but keeps the security headers', () => {
    const headers = { 'Retry-After': '900', 'cache-control': 'public', 'content-security-policy': '' };
    const sent = show({}, { rejection: { errors: { form: 'sign-in.too-many' }, status: 429, headers } });
    expect([sent.status, sent.headers]).toEqual([
      429,
      expect.objectContaining({ 'Retry-After': '900', 'cache-control': 'no-store' }),
    ]);
    expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
    expect(sent.html).toContain('<title>Error: Title');
  });
});
