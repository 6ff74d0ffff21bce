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

describe('the problems', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0'])(
    'are JSON for programs: Accept: %s',
    async (accept) => {
      const sent = accept === undefined ? {} : { headers: { accept } };
      const all = await send('GET', `${url}/problems`, sent);
      expect(all.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(all.body).toEqual({ problems: Object.values(problems) });
      const one = await send('GET', `${url}/problems/choice.full`, sent);
      expect(one.body).toEqual(problems['choice.full']);
      for (const { headers } of [all, one]) expect(headers.get('vary')).toBe('accept, accept-encoding');
    },
  );

  it('are a page for people, which leads to each of them', async () => {
    const { status, headers, body } = await send('GET', `${url}/problems`, { headers: browser });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(
      linksOf(body)
        .filter((it) => it.startsWith('/problems/'))
        .sort(),
    ).toEqual(codes.map((code) => `/problems/${code}`).sort());
  });

  it.each(codes)('%s has a page: code, status, title, and what to do', async (code) => {
    const { title, status } = problems[code as keyof typeof problems];
    const { body } = await send('GET', `${url}/problems/${code}`, { headers: browser });
    expect(body).toContain(`<h1>${title}</h1>`);
    expect(body).toContain(`<code>${code}</code>`);
    expect(body).toContain(`status ${status}`);
    expect(body).toMatch(/<p>[A-Z].{20,}\.<\/p>/);
    expect(linksOf(body)).toEqual(['/problems', '/docs']);
  });

  it('are pages under the policy of the documentation, sent once', async () => {
    const { headers } = await send('GET', `${url}/problems/choice.full`, { headers: browser });
    const docs = await send('GET', `${url}/docs`);
    for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy'])
      expect(headers.get(name)).toBe(docs.headers.get(name)!);
    expect(headers.get('vary')).toBe('accept, accept-encoding');
    const etag = headers.get('etag')!;
    const again = await send('GET', `${url}/problems/choice.full`, { headers: { ...browser, 'if-none-match': etag } });
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'accept, accept-encoding']);
  });

  it('are no others', async () => {
    for (const code of ['nothing', 'toString', '..%2fdocs']) {
      const answer = await send('GET', `${url}/problems/${code}`, { headers: browser });
      expect([answer.status, answer.body.code]).toEqual([404, 'request.not-found']);
    }
  });
});
