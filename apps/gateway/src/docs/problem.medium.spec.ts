import { problems } from '#contracts';
import { GatewayStack, send } from '../testing/gateway-stack.js';

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

  it.each(codes)('%s has a page with code, status, title and advice', async (code) => {
    const { title, status } = problems[code as keyof typeof problems];
    const { body } = await send('GET', `${url}/problems/${code}`, { headers: browser });
    expect(body).toContain(`<h1>${title}</h1>`);
    expect(body).toContain(`<code>${code}</code>`);
    expect(body).toContain(`status ${status}`);
    expect(body).toMatch(/<p>[A-Z].{20,}\.<\/p>/);
    expect(linksOf(body)).toEqual(['/problems', '/docs']);
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

  it('are pages with the content security policy of the documentation, and return 304 if unchanged', async () => {
    const { headers } = await send('GET', `${url}/problems/choice.full`, { headers: browser });
    const docs = await send('GET', `${url}/docs`);
    for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy'])
      expect(headers.get(name)).toBe(docs.headers.get(name)!);
    expect(headers.get('vary')).toBe('accept, accept-encoding');
    const etag = headers.get('etag')!;
    const again = await send('GET', `${url}/problems/choice.full`, { headers: { ...browser, 'if-none-match': etag } });
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'accept, accept-encoding']);
  });

  it('return 404 for an unknown code', async () => {
    for (const code of ['nothing', 'toString', '..%2fdocs']) {
      const response = await send('GET', `${url}/problems/${code}`, { headers: browser });
      expect([response.status, response.body.code]).toEqual([404, 'request.not-found']);
    }
  });
});
