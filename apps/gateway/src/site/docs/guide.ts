import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { marked, Renderer, type Tokens } from 'marked';
import { projectPath } from '#config';

/** The guide as HTML, without its title. */
interface Guide {
  readonly html: string;
  /** Headings of the second level. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/** Address of the shop in the examples of the guide. */
const exampleUrl = 'http://localhost:3000';

/** Returns the anchor of a heading, as on GitHub. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Renders Markdown without raw HTML, and without links to files that are not on the site. */
class GuideRenderer extends Renderer {
  readonly sections: { id: string; title: string }[] = [];

  /** @param files paths on the site by path of the guide's links */
  constructor(private readonly files: ReadonlyMap<string, string>) {
    super();
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return this.text({ type: 'text', raw: text, text });
  }

  override image({ text }: Tokens.Image): string {
    return this.text({ type: 'text', raw: text, text });
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    if (depth === 1) return '';
    const title = this.parser.parseInline(tokens, this.parser.textRenderer);
    const id = anchorOf(title);
    if (depth === 2) this.sections.push({ id, title });
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = this.files.get(href) ?? (/^(?:https:\/\/[\w./-]+|#[\w-]+)$/.test(href) ? href : undefined);
    return target === undefined ? text : `<a href="${target}">${text}</a>`;
  }

  // With `tabindex`, the keyboard can scroll long lines
  override code(token: Tokens.Code): string {
    return super.code(token).replace('<pre>', '<pre tabindex="0">');
  }

  override table(token: Tokens.Table): string {
    return `<div class="table-scroll" tabindex="0">${super.table(token)}</div>`;
  }
}

/**
 * Renders the guide.
 *
 * @param baseUrl replaces the address of the shop in the examples
 * @param files paths on the site by path of the guide's links
 */
export function renderGuide(markdown: string, baseUrl: string, files: ReadonlyMap<string, string>): Guide {
  const renderer = new GuideRenderer(files);
  const html = marked.parse(markdown.replaceAll(exampleUrl, baseUrl), { renderer, async: false });
  return { html, sections: renderer.sections };
}

export const readGuide = (): string => readFileSync(projectPath('docs', 'clients.md'), 'utf8');

/** Reads the programs and types that the guide links, by path of the link. */
export function readGuideFiles(): ReadonlyMap<string, { readonly name: string; readonly text: string }> {
  const folder = projectPath('docs', 'clients');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [`clients${path.slice(folder.length)}`, { name: basename(path), text: readFileSync(path, 'utf8') }];
    }),
  );
}
