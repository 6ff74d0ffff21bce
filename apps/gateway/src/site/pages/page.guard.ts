import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueueClients } from '#request-queue';
import { languageOf } from '../../edge/headers/language.js';
import { Cookies } from './cookies.js';
import { accessOf, type Audience, audienceIn } from '../../edge/routing/access.js';
import { formOf } from '../../edge/bodies/form-body.js';
import { SeeOther } from './see-other.js';
import { keepVisit, type Member, PageContext } from './page-context.js';

/** Finds out who is looking at a page, sends strangers to the sign-in, and refuses forms that are not ours. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly cookies: Cookies,
    private readonly clients: QueueClients,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const audience = audienceIn(accessOf(context.getHandler()));
    return audience === undefined || this.open(context, audience);
  }

  private async open(context: ExecutionContext, audience: Audience): Promise<boolean> {
    const http = context.switchToHttp();
    const visit = await this.visit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    const request = http.getRequest<FastifyRequest>();
    if (request.method === 'POST') visit.checkForm(formOf(request));
    if (audience === 'members' && !visit.user) throw new SeeOther(signInPath(request));
    return true;
  }

  /**
   * Opens the visit of a request; for pages of refusals too, which have no handler. When nobody can say who asks, the
   * visit that stays is a stranger's.
   */
  async visit(request: FastifyRequest, reply: FastifyReply): Promise<PageContext> {
    const language = this.cookies.languageOf(request) ?? languageOf(request.headers['accept-language']);
    const open = (user: Member | null) =>
      keepVisit(request, new PageContext(request, reply, this.cookies, language, user));
    open(null);
    return open(await this.member(request));
  }

  private async member(request: FastifyRequest): Promise<Member | null> {
    const session = this.cookies.visitOf(request);
    if (session === undefined) return null;
    const found = await this.clients.of('accounts').call('sessions.show', { session });
    return found.active ? { ...found.user, session } : null;
  }
}

/** After signing in the person goes on where they were stopped; a form that was sent has to be opened again. */
const signInPath = ({ method, url }: FastifyRequest): string =>
  `/sign-in?to=${encodeURIComponent(method === 'POST' ? '/account' : url)}`;
