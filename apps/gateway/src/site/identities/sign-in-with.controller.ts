import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { checkRecentSignIn } from '../account/present-password.form.js';
import { beginSession } from '../pages/begin-session.js';
import { queryOf } from '../../edge/bodies/form-body.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import type { PageContext } from '../pages/page-context.js';
import { showSignUpForm } from './sign-up.form.js';
import { showSignInError } from './sign-in-error.view.js';

/** The way to a provider and back: signs in whoever comes back, or links what a member comes back with. */
@Controller('sign-in/with/:provider')
export class SignInWithController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page()
  @Post()
  @HttpCode(200)
  async begin(
    @CurrentPage() visit: PageContext,
    @Param('provider') provider: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const returnTo = localPath(given.to, '/account');
    try {
      // A linked identity is another way to sign in, which a stolen session must not get
      if (visit.user) checkRecentSignIn(visit.user);
      const { url } = await this.clients.of('accounts').call('identities.begin', {
        provider,
        visit: visit.bind(),
        userId: visit.user?.id ?? null,
        returnTo,
        visitor: visit.visitor,
      });
      this.pages.leadTo(reply, visit, url);
    } catch (error) {
      showSignInError(this.pages, reply, visit, error);
    }
  }

  /** Where the provider sends the browser back to. */
  @Page()
  @Get('callback')
  async finish(
    @CurrentPage() visit: PageContext,
    @Param('provider') provider: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    try {
      const { given: parameters, repeated } = queryOf(request);
      if (repeated.length > 0) throw new DomainError(problems['identity.refused'], 'A parameter is there twice.');
      const { visitor } = visit;
      const arrived = await this.clients
        .of('accounts')
        .call('identities.finish', { provider, visit: visit.bind(), parameters, visitor });
      if (arrived.outcome === 'new') {
        const { label, ticket } = arrived;
        showSignUpForm(this.pages, reply, visit, { provider, label, ticket, ...arrived.suggestion });
        return;
      }
      if (arrived.outcome === 'signed-in') await beginSession(this.clients, visit, arrived.session);
      this.pages.goOn(reply, visit, arrived.returnTo);
    } catch (error) {
      showSignInError(this.pages, reply, visit, error);
    }
  }
}
