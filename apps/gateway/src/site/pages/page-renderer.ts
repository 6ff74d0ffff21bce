import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import { projectPath } from '#config';
import { toVisibleLine } from '#contracts';
import { basePathOf } from '../../edge/routing/path.js';
import { GatewayEnv } from '../../env.js';
import { siteIcon, stylesheet } from './assets.js';
import type { FormRejection } from './form.js';
import { localPath } from './see-other.js';
import { entityTagOf, sendPublic } from './send-public.js';
import { commonTexts } from './texts/common.js';
import { formTexts } from './texts/form.js';
import type { Texts } from './texts/texts.js';
import type { PageContext } from './page-context.js';

interface PageOptions<Words> {
  /** Path of a template below `apps/gateway/views`, without its extension. */
  readonly view: string;
  readonly texts: Texts<Words>;
  readonly title: (words: Words) => string;
  /**
   * Data of the template (`it`), in addition to the data of every page, such as `t` (the texts),
   * `common`, `form`, `context`, `user`, `base`, `language`, `errors`. Name each field; never
   * spread input of a request into it.
   */
  readonly data?: object;
  readonly status?: number;
  /** The rejected form. It determines the status, the headers and `errors`. */
  readonly rejection?: FormRejection | undefined;
  /**
   * Lets the browser store the page for anonymous users. Must be false for pages with personal data
   * or forms for it.
   */
  readonly storable?: boolean;
  /** Sends no `Referer` from the page: its address has a token. */
  readonly isAddressSecret?: boolean;
  /** Additional `form-action` sources of the Content-Security-Policy: `https://app.example.com`. */
  readonly formTargets?: readonly string[];
  /** Path of a template with additional tags for `<head>`. */
  readonly head?: string;
  /** Paths of scripts below the base address. */
  readonly scripts?: readonly string[];
}

/**
 * Compiles all templates at startup: the first page is as fast as later ones, and a broken template
 * fails the start.
 */
function compileViews(views: string): Eta {
  const eta = new Eta({ views, cache: true, autoTrim: false });
  for (const name of readdirSync(views, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.eta'))) {
    const path = join(views, name);
    eta.templatesSync.define(path, eta.compile(readFileSync(path, 'utf8'), { filepath: path }));
  }
  return eta;
}

/**
 * Names that Eta uses itself. Data of a page must not use them, nor the names of the shared data.
 */
const reservedNames: readonly string[] = ['body', '__blocks'];

/** Returns a stored title or name for display. Older rows may have no visible characters. */
const visibleLineOr = (stored: string | null, fallback = '–'): string => toVisibleLine(stored) || fallback;

/**
 * Allows a line break between katakana and a following Latin letter, as before the T of
 * ビッグシルエットTシャツ. The styles (`word-break: keep-all`) prevent breaks between letters unless a
 * word is longer than its line.
 */
const breakable = (name: string): string =>
  name.replaceAll(/(?<=[\p{Script=Katakana}ー])(?=\p{Script=Latin})/gu, '\u200b');

const notInXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/**
 * Renders pages from templates that escape values by default, with one layout and a strict
 * Content-Security-Policy. A page can add form targets and scripts to the policy; only the upload
 * form, the page of a material whose images are being rendered and the interactive documentation
 * have scripts.
 */
@Injectable()
export class PageRenderer {
  private readonly eta = compileViews(projectPath('apps', 'gateway', 'views'));
  /** Prefix of every path of this site: empty, or the path of the base address. */
  readonly base: string;
  private readonly origin: string;
  /** `img-src` sources. Browsers check the policy again for the target of a redirect. */
  private readonly imageSources: string;
  /** Link to the operator; undefined without the setting. */
  private readonly contact: GatewayEnv['CONTACT_URL'];

  constructor({ BASE_URL, IMAGES_CDN_URL, CONTACT_URL }: GatewayEnv) {
    this.base = basePathOf(BASE_URL);
    this.origin = new URL(BASE_URL).origin;
    this.imageSources = [BASE_URL, IMAGES_CDN_URL]
      .flatMap((url) => (url === undefined ? [] : new URL(url).origin))
      .join(' ');
    this.contact = CONTACT_URL;
  }

  show<Words>(reply: FastifyReply, context: PageContext, options: PageOptions<Words>): void {
    const { view, texts, title, data = {}, rejection, storable = false, formTargets = [], scripts = [] } = options;
    const words = texts[context.language];
    const errors = rejection?.errors ?? (context.draft && { form: 'form.expired' });
    const shared = {
      base: this.base,
      origin: this.origin,
      stylesheet: `${this.base}${stylesheet.path}`,
      icon: `${this.base}${siteIcon.path}`,
      language: context.language,
      context,
      user: context.user,
      line: visibleLineOr,
      breakable,
      isAddressSecret: options.isAddressSecret === true,
      t: words,
      title: title(words),
      common: commonTexts[context.language],
      contact: this.contact,
      form: formTexts[context.language],
      head: options.head,
      scripts,
      errors,
    };
    const conflicts = [...reservedNames, ...Object.keys(shared)].filter((key) => Object.hasOwn(data, key));
    if (conflicts.length > 0) throw new Error(`Page data must not use the reserved names ${conflicts.join()}`);
    // Rendered before the headers are sent: a form may set the session cookie
    const html = this.eta.render(view, { ...data, ...shared });
    const isStored = storable && !context.user;
    const status = rejection?.status ?? options.status ?? 200;
    void reply
      .status(status)
      .headers({ ...rejection?.headers, ...this.headers(isStored, formTargets, scripts.length > 0) });
    if (options.isAddressSecret) void reply.header('referrer-policy', 'no-referrer');
    if (isStored) void reply.header('etag', entityTagOf(html));
    void reply.header('content-language', context.language).type('text/html; charset=utf-8').send(html);
  }

  /**
   * Sends an XML document, equal for all users. Removes characters that XML 1.0 excludes, even
   * escaped.
   */
  sendXml(reply: FastifyReply, mediaType: string, view: string, data: object): void {
    const xml = this.eta.render(view, data).replaceAll(notInXml, '');
    sendPublic(reply, mediaType, xml);
  }

  /**
   * Redirects (303) to a path of this site, or to the fallback if `to` is not such a path.
   *
   * @param element id of the element at which the browser continues
   */
  seeOther(reply: FastifyReply, to: unknown, fallback = '/', element?: string): void {
    const fragment = element === undefined ? '' : `#${element}`;
    void reply
      .status(303)
      .headers({ location: `${this.base}${localPath(to, fallback)}${fragment}`, 'cache-control': 'no-store' })
      .send();
  }

  /**
   * Shows a page that redirects to another URL at once. Browsers apply `form-action` also to the
   * redirect that follows a form, so a 303 to another site would be blocked.
   */
  showRedirect(reply: FastifyReply, context: PageContext, url: string): void {
    this.show(reply, context, {
      view: 'redirect',
      texts: commonTexts,
      title: (words) => words.redirecting,
      data: { url },
      head: 'redirect-head',
    });
  }

  /**
   * Redirects to the return path after a sign-in or sign-up.
   *
   * @param fallback path if there is no valid return path
   */
  redirectAfterSignIn(reply: FastifyReply, context: PageContext, to: unknown, fallback = '/account'): void {
    const path = localPath(to, fallback);
    // The authorization endpoint may redirect on to the application, which `form-action` would
    // block
    if (path.startsWith('/oauth/')) this.showRedirect(reply, context, `${this.base}${path}`);
    else this.seeOther(reply, path);
  }

  /**
   * No `Cross-Origin-Opener-Policy`: applications open the sign-in and consent pages in a popup,
   * and need the opener relation.
   */
  private headers(storable: boolean, formTargets: readonly string[], hasScript: boolean): Record<string, string> {
    return {
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        ...(hasScript ? ["script-src 'self'", `connect-src 'self' ${this.origin}`] : []),
        `img-src 'self' data: ${this.imageSources}`,
        `form-action 'self' ${formTargets.join(' ')}`.trim(),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
      'cache-control': storable ? 'private, no-cache' : 'no-store',
      // Errors and problem codes are JSON for programs
      vary: 'accept, accept-language, cookie',
    };
  }
}
