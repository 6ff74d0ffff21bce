import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { languageOf } from '../../edge/headers/language.js';
import { Cookies } from './cookies.js';
import { accessOf, type Audience, audienceIn } from '../../edge/routing/access.js';
import { formOf } from '../../edge/bodies/form-body.js';
import { SeeOther } from './see-other.js';
import { type Member, PageContext, setPageContext } from './page-context.js';

/**
 * Opens the page context, redirects anonymous users of pages for members to the sign-in, and checks
 * CSRF tokens.
 */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly cookies: Cookies,
    private readonly clients: QueueClients,
    private readonly env: GatewayEnv,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const audience = audienceIn(accessOf(context.getHandler()));
    return audience === undefined || this.open(context, audience);
  }

  private async open(context: ExecutionContext, audience: Audience): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const page = await this.openContext(request, http.getResponse<FastifyReply>());
    if (request.method === 'POST') page.checkCsrfToken(formOf(request));
    if (audience === 'members' && !page.user) throw new SeeOther(signInPath(request, this.env.BASE_URL));
    if (request.method === 'GET' && page.user) page.unreads = await this.unreads(page.user);
    return true;
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

/** The return path after sign-in is the requested page, or the page with the form. */
function signInPath({ method, url, headers }: FastifyRequest, baseUrl: string): string {
  const { referer = '' } = headers;
  const form = referer.startsWith(`${baseUrl}/`) ? referer.slice(baseUrl.length) : '/account';
  return `/sign-in?to=${encodeURIComponent(method === 'POST' ? form : url)}`;
}
