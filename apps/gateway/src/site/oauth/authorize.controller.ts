import { Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Authorization, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { queryOf, sentForm } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { longestPath } from '../pages/see-other.js';
import type { PageContext } from '../pages/page-context.js';
import { destinationOf, formTargetsOf } from './form-target.rules.js';
import { consentTexts, refusalTexts } from './oauth.texts.js';

type Answer<Next> = Extract<Authorization, { next: Next }>;

/** Where applications send people: the question whether one may act in their name, and the way back with the answer. */
@Controller()
export class AuthorizeController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page()
  @Get('oauth/authorize')
  async ask(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): Promise<void> {
    checkOpened(reply.request);
    await this.answer(reply, visit, null);
  }

  /** The address is the one of the question: the form itself says nothing but the decision. */
  @Page()
  @Post('oauth/authorize')
  async decide(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(reply, visit, decisionOf(reply.request));
  }

  private async answer(reply: FastifyReply, visit: PageContext, decision: 'allow' | 'deny' | null): Promise<void> {
    const address = addressOf(reply.request);
    const signIn = `/sign-in?to=${encodeURIComponent(address)}`;
    // It would get lost on the way over the sign-in
    if (signIn.length > longestPath) {
      this.refuse(reply, visit, { error: 'invalid_request', description: 'The address is too long.' });
      return;
    }
    const authorization = await this.clients
      .of('accounts')
      .call('oauth.authorize', { query: queryOf(reply.request), userId: visit.user?.id ?? null, decision });
    switch (authorization.next) {
      case 'refuse':
        this.refuse(reply, visit, authorization);
        break;
      case 'redirect':
        // RFC 9700, section 4.11.2: nobody is led away who did not sign in, not with an error either
        if (visit.user) leave(reply, authorization.to);
        else this.pages.seeOther(reply, signIn);
        break;
      case 'sign-in':
        this.pages.seeOther(reply, signIn);
        break;
      case 'ask':
        this.consent(reply, visit, address, authorization);
    }
  }

  private refuse(
    reply: FastifyReply,
    visit: PageContext,
    { error, description }: Omit<Answer<'refuse'>, 'next'>,
  ): void {
    this.pages.show(reply, visit, {
      view: 'oauth/refused',
      texts: refusalTexts,
      status: 400,
      data: { error, description },
      title: (words) => words.title,
    });
  }

  private consent(reply: FastifyReply, visit: PageContext, address: string, question: Answer<'ask'>): void {
    const { application, scopes, granted, redirectUri } = question;
    const data = { application, scopes, granted, address, destination: destinationOf(redirectUri) };
    this.pages.show(reply, visit, {
      view: 'oauth/consent',
      texts: consentTexts,
      data,
      formTargets: formTargetsOf(redirectUri),
      title: (words) => words.title,
    });
  }
}

/** To the application. The address holds the code: nothing stores it, and no page learns of it as where one came from. */
function leave(reply: FastifyReply, to: string): void {
  const headers = { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  void reply.status(303).headers(headers).send();
}

/** The address of the question, for the way back to it. Made of the route: what was asked for may name another host. */
const addressOf = ({ url }: FastifyRequest): string => `/oauth/authorize?${url.split(/\?(.*)/s)[1] ?? ''}`;

const ahead = ['sec-purpose', 'purpose', 'x-moz'] as const;

/**
 * Where the user has allowed the application before, opening the address gives a code. That takes somebody who opens it:
 * HEAD must change nothing, and what a browser fetches ahead may never be looked at.
 *
 * @throws DomainError
 */
function checkOpened({ method, headers }: FastifyRequest): void {
  if (method === 'HEAD')
    throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow: 'GET, POST' });
  if (ahead.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? ''))))
    throw new DomainError(problems['request.invalid'], 'The address is to be opened, not to be fetched ahead.');
}

/** @throws DomainError 400 for anything but one of the two words, said once */
function decisionOf(request: FastifyRequest): 'allow' | 'deny' {
  const form = sentForm(request);
  const decision = form?.given.decision;
  if ((decision === 'allow' || decision === 'deny') && !form?.repeated.includes('decision')) return decision;
  const errors = [{ path: 'body.decision', message: 'must be allow or deny' }];
  throw new DomainError(problems['request.invalid'], 'body.decision: must be allow or deny', errors);
}
