import type { FastifyReply } from 'fastify';
import type { GatewayEnv } from '../../env.js';
import { PageRenderer } from './page-renderer.js';
import { commonTexts } from './texts/common.js';
import type { PageContext } from './page-context.js';

const pages = new PageRenderer({ BASE_URL: 'https://shop.example.com' } as GatewayEnv);
const visit = { language: 'en', user: null, path: '/', csrf: () => 'x' } as Partial<PageContext> as PageContext;

/** What is sent for a page with this data. */
function show(data: object, options: object = {}): { html: string; status: number; headers: Record<string, string> } {
  const sent = { html: '', status: 0, headers: {} };
  const reply = {
    status: (status: number) => ((sent.status = status), reply),
    headers: (headers: object) => (Object.assign(sent.headers, headers), reply),
    header: () => reply,
    type: () => reply,
    send: (html: string) => ((sent.html = html), reply),
  };
  const page = { view: 'lead-to', texts: commonTexts, title: () => 'Title', data: { url: '/x', ...data }, ...options };
  pages.show(reply as never as FastifyReply, visit, page);
  return sent;
}

describe('a page', () => {
  it.each([
    'body',
    'head',
    '__blocks',
    'visit',
    't',
    'user',
    'base',
    'title',
    'common',
    'form',
    'errors',
    'stylesheet',
  ])('has no data as %s, which the frame reads', (key) =>
    expect(() => show({ [key]: '<h1>planted' })).toThrow(`data of its own as ${key}`),
  );

  it('has what no frame reads, escaped', () => {
    expect(show({ url: '"><b>' }).html).toContain('href="&quot;&gt;&lt;b&gt;"');
  });

  it('that shows a refused form has its status and headers, and none of those that keep the page safe', () => {
    const headers = { 'Retry-After': '900', 'cache-control': 'public', 'content-security-policy': '' };
    const sent = show({}, { refused: { errors: { form: 'sign-in.too-many' }, status: 429, headers } });
    expect([sent.status, sent.headers]).toEqual([
      429,
      expect.objectContaining({ 'Retry-After': '900', 'cache-control': 'no-store' }),
    ]);
    expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
    expect(sent.html).toContain('<title>Error: Title');
  });
});
