import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { checkRecentSignIn } from '../account/current-password.form.js';
import { startSession } from '../pages/start-session.js';
import { queryOf } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import type { PageContext } from '../pages/page-context.js';
import { showSignUpForm } from './sign-up.form.js';
import { showSignInError } from './sign-in-error.view.js';

/**
 * Sign-in through an identity provider. For a signed-in user, links the identity to the account
 * instead.
 */
@Controller('sign-in/with/:provider')
export class SignInWithController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page()
  @Post()
  @NotCounted('Provider sign-ins are limited per address.')
  @HttpCode(200)
  async begin(
    @CurrentPage() context: PageContext,
    @Param('provider') provider: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const returnTo = localPath(given.to, '');
    try {
      // A linked identity is another way to sign in: a stolen session must not add one
      if (context.user) checkRecentSignIn(context.user);
      const { url } = await this.clients.of('accounts').call('identities.begin', {
        provider,
        browserToken: context.ensureSessionId(),
        userId: context.user?.id ?? null,
        returnTo,
        visitor: context.visitor,
      });
      this.pages.showRedirect(reply, context, url);
    } catch (error) {
      showSignInError(this.pages, reply, context, error);
    }
  }

  /** Callback to which the provider redirects the browser. */
  @Page()
  @Get('callback')
  async finish(
    @CurrentPage() context: PageContext,
    @Param('provider') provider: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    try {
      const { given: parameters, repeated } = queryOf(request);
      if (repeated.length > 0) throw new DomainError(problems['identity.refused'], 'A callback parameter is repeated.');
      const { visitor } = context;
      const result = await this.clients
        .of('accounts')
        .call('identities.finish', { provider, browserToken: context.ensureSessionId(), parameters, visitor });
      if (result.outcome === 'new') {
        const { label, ticket } = result;
        showSignUpForm(this.pages, reply, context, { provider, label, ticket, ...result.suggestion });
        return;
      }
      if (result.outcome === 'signed-in') await startSession(this.clients, context, result.session);
      this.pages.redirectAfterSignIn(reply, context, result.returnTo);
    } catch (error) {
      showSignInError(this.pages, reply, context, error);
    }
  }
}
