import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, opaque, type OAuthParameters, userName } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { firstPath, startSession } from '../pages/start-session.js';
import { submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields, ReopensAt } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { showSignUpForm } from './sign-up.form.js';
import { ProviderView } from './provider.view.js';

const IdentitySignUpForm = z.object({
  ticket: opaque,
  name: typedLine.pipe(userName),
  email: typedLine.pipe(emailAddress),
});

/** Sign-up without a password, for an identity that a provider has confirmed. */
@Controller('sign-up/with/:provider')
export class SignUpWithController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: ProviderView,
  ) {}

  /**
   * Redirects to the sign-up page. The form cannot be opened again, because its ticket is in no
   * address.
   */
  @Page()
  @Get()
  redirectToSignUp(@Res() reply: FastifyReply): void {
    this.pages.seeOther(reply, '/sign-up');
  }

  /**
   * After the anonymous session has expired, so has the ticket: the sign-up page then has the typed
   * text, and the buttons of the providers.
   */
  @Page()
  @Post()
  @NotCounted('Sign-ups are limited per address.')
  @PreservesFields('name', 'email')
  @ReopensAt(() => '/sign-up')
  async signUp(
    @CurrentPage() context: PageContext,
    @Param('provider') provider: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { visitor } = context;
    const accounts = this.clients.of('accounts');
    const result = await submit(
      context,
      IdentitySignUpForm,
      given,
      (values) => accounts.call('identities.sign-up', { ...values, browserToken: context.ensureSessionId(), visitor }),
      ({ name, email }) => accounts.call('users.check-sign-up', { name, email, visitor }),
    );
    if ('errors' in result) {
      const label = (await this.providers.list()).find(({ name }) => name === provider)?.label ?? provider;
      const { ticket, name, email } = given;
      showSignUpForm(this.pages, reply, context, { provider, label, ticket, name, email, rejection: result });
      return;
    }
    await startSession(this.clients, context, result.value.session);
    this.pages.redirectAfterSignIn(reply, context, result.value.returnTo, firstPath);
  }
}
