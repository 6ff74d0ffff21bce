import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { languageOf } from '../../edge/headers/language.js';
import { Cookies } from './cookies.js';
import { Admission } from '../../edge/admission/admission.js';
import { RateLimiter } from '../../edge/rate-limits/rate-limiter.js';
import { pageRateLimitOf } from '../../edge/rate-limits/rate-limit.decorator.js';
import { accessOf, type Audience, audienceIn } from '../../edge/routing/access.js';
import { formOf } from '../../edge/bodies/form-body.js';
import { SeeOther } from './see-other.js';
import { FormDrafts } from './form-drafts.js';
import { type Member, PageContext, setPageContext } from './page-context.js';
import { preservedFieldsOf, reopenedPathOf } from './page.decorator.js';
import { isSameOrigin, refererPathOf } from './request-source.js';

/**
 * Opens the page context, redirects anonymous users of pages for members to the sign-in, and checks
 * CSRF tokens. Preserves the text of forms that have expired. Counts submissions under the rate
 * limits of the API.
 */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly cookies: Cookies,
    private readonly clients: QueueClients,
    private readonly env: GatewayEnv,
    private readonly drafts: FormDrafts,
    private readonly limiter: RateLimiter,
    private readonly admission: Admission,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const audience = audienceIn(accessOf(context.getHandler()));
    return audience === undefined || this.open(context, audience);
  }

  private async open(context: ExecutionContext, audience: Audience): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const page = await this.openContext(request, reply);
    if (page.user) this.admission.identify(request, page.user.id);
    const isSignedOut = audience === 'members' && !page.user;
    if (request.method === 'POST' && (isSignedOut || !page.hasCsrfToken(formOf(request)))) {
      const isOwn = isSameOrigin(request, this.env.BASE_URL);
      const fields = isOwn ? preservedFieldsOf(context.getHandler()) : undefined;
      const path = reopenedPathOf(context.getHandler(), formOf(request)) ?? request.url;
      if (fields && (await this.drafts.save(request, reply, { fields, path })))
        throw new SeeOther(isSignedOut ? signInPathTo(path) : path);
      // A browser deletes an expired session cookie, to which the token is bound
      if (!(isOwn && isSignedOut)) page.checkCsrfToken(formOf(request));
    }
    if (isSignedOut) throw new SeeOther(signInPath(request, this.env.BASE_URL));
    if (request.method === 'POST') await this.count(context, page, formOf(request));
    if (request.method === 'GET') page.draft = await this.drafts.take(request, reply, page.user?.id);
    // A rejected form is shown again, with the header of a page
    if (request.method !== 'HEAD') await this.loadUnreads(page);
    return true;
  }

  /** Sets the number of unread notifications of a signed-in user. */
  async loadUnreads(page: PageContext): Promise<void> {
    if (page.user) page.unreads = await this.unreads(page.user);
  }

  /**
   * Opens the context of a request; also for error pages, which have no handler. If the session
   * check fails, the context of an anonymous user remains set.
   */
  async openContext(request: FastifyRequest, reply: FastifyReply): Promise<PageContext> {
    const language = this.cookies.languageOf(request) ?? languageOf(request.headers['accept-language']);
    const open = (user: Member | null) =>
      setPageContext(request, new PageContext(request, reply, this.cookies, language, user));
    open(null);
    return open(await this.member(request));
  }

  /**
   * Counts a submission under the rate limit that its handler declares. A form is counted when it
   * is valid, as a request of the API.
   *
   * @throws DomainError `rate-limit.exceeded`
   */
  private async count(
    context: ExecutionContext,
    page: PageContext,
    form: Readonly<Record<string, string>>,
  ): Promise<void> {
    const limit = pageRateLimitOf(context.getHandler());
    const { user } = page;
    if (!limit || !user || 'notCountedBecause' in limit) return;
    const operation = typeof limit.operation === 'string' ? limit.operation : limit.operation(form);
    const check = () => this.limiter.check(operation, user.id);
    if (limit.countedBy === 'form') page.countSubmission = check;
    else await check();
  }

  /**
   * Returns 0 while the activity service is unavailable: the page is then shown without a count.
   */
  private async unreads({ id: viewerId }: Member): Promise<number> {
    try {
      return (await this.clients.of('activity').call('activities.unreads', { viewerId })).unreads;
    } catch (error) {
      if (!(error instanceof DomainError) || error.status < 500) throw error;
      return 0;
    }
  }

  private async member(request: FastifyRequest): Promise<Member | null> {
    const session = this.cookies.sessionIdOf(request);
    if (session === undefined) return null;
    const found = await this.clients.of('accounts').call('sessions.show', { session });
    return found.active ? { ...found.user, session } : null;
  }
}

/**
 * Returns the path of the sign-in page. Its return path is the requested page, or for POST the page
 * with the form.
 */
function signInPath(request: FastifyRequest, baseUrl: string): string {
  if (request.method !== 'POST') return signInPathTo(request.url);
  return signInPathTo(refererPathOf(request, baseUrl) ?? '/account');
}

const signInPathTo = (path: string): string => `/sign-in?to=${encodeURIComponent(path)}`;
