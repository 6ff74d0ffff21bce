import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import { projectPath } from '#config';
import { basePathOf } from '../../edge/routing/path.js';
import { GatewayEnv } from '../../env.js';
import { stylesheetName } from './assets.js';
import type { Refused } from './form.js';
import { localPath } from './see-other.js';
import { commonTexts } from './texts/common.js';
import { formTexts } from './texts/form.js';
import type { Texts } from './texts/texts.js';
import type { PageContext } from './page-context.js';

interface PageOptions<Words> {
  /** A template below `apps/gateway/views`, without its ending. */
  readonly view: string;
  readonly texts: Texts<Words>;
  readonly title: (words: Words) => string;
  /**
   * What the template sees as `it`, beside what every page has: `t` (the words), `common`, `form`, `visit`, `user`, `base`,
   * `language`, `errors`. Named one by one and never spread from what a request has sent.
   */
  readonly data?: object;
  readonly status?: number;
  /** Why its form is shown again: gives the page its status, its headers and `errors`. */
  readonly refused?: Refused | undefined;
  /** Whether the browser may keep a stranger's copy. Pages that show or ask something personal: false. */
  readonly storable?: boolean;
  /** Where else its forms may lead, as sources of a Content-Security-Policy: `https://app.example.com`. */
  readonly formTargets?: readonly string[];
  /** Tags for the head, written by the template `head/...` of the part. */
  readonly head?: string;
}

/** All templates, compiled now: the first page is as fast as the others, and a broken template stops the start. */
function compiledViews(views: string): Eta {
  const eta = new Eta({ views, cache: true, autoTrim: false });
  for (const name of readdirSync(views, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.eta'))) {
    const path = join(views, name);
    eta.templatesSync.define(path, eta.compile(readFileSync(path, 'utf8'), { filepath: path }));
  }
  return eta;
}

/** What a template or the layout takes as HTML or as the name of a file, beside what `show` gives to every page. */
const special: readonly string[] = ['body', '__blocks'];

/** Writes pages for people: templates that escape, one layout, one strict policy; no script. */
@Injectable()
export class PageRenderer {
  private readonly eta = compiledViews(projectPath('apps', 'gateway', 'views'));
  /** In front of every path of this site: empty, or the path of the base address. */
  readonly base: string;
  private readonly origin: string;
  /** Where images come from; a policy is asked again about an address that an image is redirected to. */
  private readonly images: string;

  constructor({ BASE_URL, IMAGES_CDN_URL }: GatewayEnv) {
    this.base = basePathOf(BASE_URL);
    this.origin = new URL(BASE_URL).origin;
    this.images = [BASE_URL, IMAGES_CDN_URL].flatMap((url) => (url === undefined ? [] : new URL(url).origin)).join(' ');
  }

  /** Sends a page. */
  show<Words>(reply: FastifyReply, visit: PageContext, options: PageOptions<Words>): void {
    const { view, texts, title, data = {}, refused, storable = false, formTargets = [] } = options;
    const words = texts[visit.language];
    const shared = {
      base: this.base,
      origin: this.origin,
      stylesheet: `${this.base}/assets/${stylesheetName}`,
      language: visit.language,
      visit,
      user: visit.user,
      t: words,
      title: title(words),
      common: commonTexts[visit.language],
      form: formTexts[visit.language],
      head: options.head,
      errors: refused?.errors,
    };
    const taken = [...special, ...Object.keys(shared)].filter((key) => Object.hasOwn(data, key));
    if (taken.length > 0) throw new Error(`a page cannot have data of its own as ${taken.join()}`);
    // Rendered first: a form in it may set the cookie of the visit
    const html = this.eta.render(view, { ...data, ...shared });
    const isStored = storable && !visit.user;
    const status = refused?.status ?? options.status ?? 200;
    void reply.status(status).headers({ ...refused?.headers, ...this.headers(isStored, formTargets) });
    if (isStored) void reply.header('etag', `"${createHash('sha1').update(html).digest('base64url')}"`);
    void reply.header('content-language', visit.language).type('text/html; charset=utf-8').send(html);
  }

  /** Goes on (303) at a path of this site. What is none leads to the front page. */
  seeOther(reply: FastifyReply, to: unknown, fallback = '/'): void {
    void reply
      .status(303)
      .headers({ location: `${this.base}${localPath(to, fallback)}`, 'cache-control': 'no-store' })
      .send();
  }

  /**
   * Goes on at the address of another site, by a page that leads there at once: a policy that keeps forms on this site
   * also stops the redirect that answers one.
   */
  leadTo(reply: FastifyReply, visit: PageContext, url: string): void {
    this.show(reply, visit, {
      view: 'lead-to',
      texts: commonTexts,
      title: (words) => words.goingOn,
      data: { url },
      head: 'lead-to-head',
    });
  }

  /** After a form that let somebody in: goes on where they wanted to go. */
  goOn(reply: FastifyReply, visit: PageContext, to: unknown): void {
    const path = localPath(to, '/account');
    // Where the sign-in of an application leads, no policy of a form may stop the way back to it
    if (path.startsWith('/oauth/')) this.leadTo(reply, visit, `${this.base}${path}`);
    else this.seeOther(reply, path);
  }

  /** Without `Cross-Origin-Opener-Policy`: applications open the consent, and the sign-in before it, in a window of their own. */
  private headers(storable: boolean, formTargets: readonly string[]): Record<string, string> {
    return {
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        `img-src 'self' data: ${this.images}`,
        `form-action 'self' ${formTargets.join(' ')}`.trim(),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
      'cache-control': storable ? 'private, no-cache' : 'no-store',
      vary: 'cookie, accept-language',
    };
  }
}
