import { problems } from '#contracts';
import { GatewayStack, send } from '../../testing/gateway-stack.js';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const codes = Object.keys(problems);

let stack: GatewayStack;
let url: string;

beforeAll(async () => {
  stack = await GatewayStack.start();
  url = await stack.gateway();
});
afterAll(() => stack.close());

const linksOf = (body: string) => [...body.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path!);

describe('the problem codes', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0'])(
    'are JSON for Accept: %s',
    async (accept) => {
      const options = accept === undefined ? {} : { headers: { accept } };
      const all = await send('GET', `${url}/problems`, options);
      expect(all.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(all.body).toEqual({ problems: Object.values(problems) });
      const one = await send('GET', `${url}/problems/choice.full`, options);
      expect(one.body).toEqual(problems['choice.full']);
      for (const { headers } of [all, one]) expect(headers.get('vary')).toBe('accept, accept-encoding');
    },
  );

  it('are HTML for browsers, with a link to the page of each code', async () => {
    const { status, headers, body } = await send('GET', `${url}/problems`, { headers: browser });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(
      linksOf(body)
        .filter((it) => it.startsWith('/problems/'))
        .sort(),
    ).toEqual(codes.map((code) => `/problems/${code}`).sort());
  });

  it.each(codes)('%s has a page with code, status, title and advice in both languages', async (code) => {
    const { title, status } = problems[code as keyof typeof problems];
    for (const [language, of, advice] of [
      ['en', `status ${status}`, /<p>[A-Z].{20,}\.<\/p>/],
      ['ja', `HTTPステータス ${status}`, /<p>.{10,}。<\/p>/],
    ] as const) {
      const headers = { ...browser, 'accept-language': language };
      const { body } = await send('GET', `${url}/problems/${code}`, { headers });
      for (const part of [`<h1 lang="en">${title}</h1>`, `<code>${code}</code>`, of]) expect(body).toContain(part);
      expect(body).toMatch(advice);
      for (const path of ['/problems', '/docs']) expect(linksOf(body)).toContain(path);
    }
  });

  it('are pages of the site without a script, and return 304 if unchanged', async () => {
    const { headers } = await send('GET', `${url}/problems/choice.full`, { headers: browser });
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'; img-src");
    const vary = 'accept, accept-language, cookie, accept-encoding';
    expect(headers.get('vary')).toBe(vary);
    const etag = headers.get('etag')!;
    const again = await send('GET', `${url}/problems/choice.full`, { headers: { ...browser, 'if-none-match': etag } });
    expect([again.status, again.headers.get('vary')]).toEqual([304, vary]);
  });

  it('advise on the code where the advice on its status would mislead', async () => {
    const advice = 'Reload the page and send the form again.';
    const [all, one, other] = await Promise.all(
      ['/problems', '/problems/form.not-ours', '/problems/choice.not-owned'].map((path) =>
        send('GET', `${url}${path}`, { headers: browser }),
      ),
    );
    expect([all, one, other].map((it) => it!.body.includes(advice))).toEqual([true, true, false]);
    expect([one, other].map((it) => it!.body.includes('of the owner'))).toEqual([false, true]);
  });

  it('return 404 for an unknown code', async () => {
    for (const code of ['nothing', 'toString', '..%2fdocs']) {
      const response = await send('GET', `${url}/problems/${code}`, { headers: browser });
      expect([response.status, response.body.code]).toEqual([404, 'request.not-found']);
    }
  });
});
