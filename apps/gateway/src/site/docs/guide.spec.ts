import { renderGuide } from './guide.js';

const files = new Map([['clients/first.sh', '/guide/first.sh']]);
const render = (markdown: string) => renderGuide(markdown, 'https://shop.example.com', files);

describe('renderGuide', () => {
  it('escapes HTML, and has no images', () => {
    const { html } = render('<script>alert(1)</script>\n\nA <b onclick="x()">word</b>, ![a "b](https://evil.example)');
    expect(html).not.toMatch(/<(?:script|b|img)/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('&lt;b onclick=&quot;x()&quot;&gt;word&lt;/b&gt;, a &quot;b');
  });

  it('links sections, files of the site and HTTPS addresses, and no other targets', () => {
    const link = (target: string) => render(`[it](${target})`).html.trim();
    expect(link('#rate-limits')).toBe('<p><a href="#rate-limits">it</a></p>');
    expect(link('clients/first.sh')).toBe('<p><a href="/guide/first.sh">it</a></p>');
    expect(link('https://example.com/a')).toBe('<p><a href="https://example.com/a">it</a></p>');
    for (const target of ['javascript:alert(1)', 'settings.md', '../e2e/x.ts', '//evil.example', 'http://a.example'])
      expect(link(target)).toBe('<p>it</p>');
  });

  it('has ids of headings as on GitHub, without the title', () => {
    const { html, sections } = render('# Title\n\n## OAuth 2.0 & `code`\n\n### Texts to print');
    expect(html).toBe(
      '<h2 id="oauth-20--code">OAuth 2.0 &amp; <code>code</code></h2>\n<h3 id="texts-to-print">Texts to print</h3>\n',
    );
    expect(sections).toEqual([{ id: 'oauth-20--code', title: 'OAuth 2.0 & code' }]);
  });

  it('names this shop in the examples, whose lines scroll', () => {
    const { html } = render('```sh\nBASE=http://localhost:3000 # <yours>\n```\n\n| A |\n| - |\n| b |');
    expect(html).toContain('<pre tabindex="0"><code class="language-sh">BASE=https://shop.example.com # &lt;yours&gt;');
    expect(html).toContain('<div class="table-scroll" tabindex="0"><table>');
  });
});
