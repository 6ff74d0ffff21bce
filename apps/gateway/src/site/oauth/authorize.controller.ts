import { Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authorization, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { queryOf, sentForm } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { maxPathLength } from '../pages/see-other.js';
import type { PageContext } from '../pages/page-context.js';
import { rejectPrefetch } from '../pages/prefetch.js';
import { destinationOf, formTargetsOf } from './form-target.rules.js';
import { consentTexts, authorizationErrorTexts } from './oauth.texts.js';

type Reply<Next> = Extract<Authorization, { next: Next }>;

/**
 * Authorization endpoint of OAuth 2.0: requests the user's consent, and redirects back to the
 * application with the result.
 */
@Controller()
export class AuthorizeController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page()
  @Get('oauth/authorize')
  async showConsent(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    rejectPrefetch(reply.request, 'GET, POST');
    await this.authorize(reply, context, null);
  }

  /**
   * The query of the address has the authorization request. The form body has only the decision and
   * the CSRF token.
   */
  @Page()
  @Post('oauth/authorize')
  @NotCounted('GET issues codes, too, after the first decision.')
  async decide(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    await this.authorize(reply, context, parseDecision(reply.request));
  }

  private async authorize(reply: FastifyReply, context: PageContext, decision: 'allow' | 'deny' | null): Promise<void> {
    const address = returnPathOf(reply.request);
    const signIn = `/sign-in?to=${encodeURIComponent(address)}`;
    // A return path that is too long is dropped at the sign-in
    if (signIn.length > maxPathLength) {
      this.showError(reply, context, { error: 'invalid_request', description: 'The address is too long.' });
      return;
    }
    const authorization = await this.clients
      .of('accounts')
      .call('oauth.authorize', { query: queryOf(reply.request), userId: context.user?.id ?? null, decision });
    switch (authorization.next) {
      case 'reject':
        this.showError(reply, context, authorization);
        break;
      case 'redirect':
        // RFC 9700, section 4.11.2: no redirect for a user who is not signed in, not even an error
        if (context.user) redirectToApplication(reply, authorization.to);
        else this.pages.seeOther(reply, signIn);
        break;
      case 'sign-in':
        this.pages.seeOther(reply, signIn);
        break;
      case 'consent':
        this.renderConsent(reply, context, address, authorization);
    }
  }

  private showError(
    reply: FastifyReply,
    context: PageContext,
    { error, description }: Omit<Reply<'reject'>, 'next'>,
  ): void {
    this.pages.show(reply, context, {
      view: 'oauth/error',
      texts: authorizationErrorTexts,
      status: 400,
      data: { error, description },
      title: (words) => words.title,
    });
  }

  private renderConsent(reply: FastifyReply, context: PageContext, address: string, request: Reply<'consent'>): void {
    const { application, scopes, granted, redirectUri } = request;
    const data = { application, scopes, granted, address, destination: destinationOf(redirectUri) };
    this.pages.show(reply, context, {
      view: 'oauth/consent',
      texts: consentTexts,
      data,
      formTargets: formTargetsOf(redirectUri),
      title: (words) => words.title,
    });
  }
}

/**
 * Redirects to the application. The address contains the code, so it must not be stored or sent as
 * referrer.
 */
function redirectToApplication(reply: FastifyReply, to: string): void {
  const headers = { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  void reply.status(303).headers(headers).send();
}

/**
 * Path to return to after the sign-in. Built from the route, because the request target may name
 * another host.
 */
const returnPathOf = ({ url }: FastifyRequest): string => `/oauth/authorize?${url.split(/\?(.*)/s)[1] ?? ''}`;

/** @throws DomainError 400 unless `decision` is sent exactly once, as `allow` or `deny` */
function parseDecision(request: FastifyRequest): 'allow' | 'deny' {
  const form = sentForm(request);
  const decision = form?.given.decision;
  if ((decision === 'allow' || decision === 'deny') && !form?.repeated.includes('decision')) return decision;
  const errors = [{ path: 'body.decision', message: 'must be allow or deny' }];
  throw new DomainError(problems['request.invalid'], 'body.decision: must be allow or deny', errors);
}
