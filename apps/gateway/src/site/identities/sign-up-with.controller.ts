import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, opaque, type OAuthParameters, userName } from '#contracts';
import { QueueClients } from '#request-queue';
import { beginSession } from '../pages/begin-session.js';
import { submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { showSignUpForm } from './sign-up.form.js';
import { Providers } from './provider.view.js';

const NewcomerForm = z.object({
  ticket: opaque,
  name: typedLine.pipe(userName),
  email: typedLine.pipe(emailAddress),
});

/** Making an account without a password, with what a provider has confirmed. */
@Controller('sign-up/with/:provider')
export class SignUpWithController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: Providers,
  ) {}

  /** The form can be sent, but not opened again: what it needs is in no address. */
  @Page()
  @Get()
  ask(@Res() reply: FastifyReply): void {
    this.pages.seeOther(reply, '/sign-up');
  }

  @Page()
  @Post()
  async signUp(
    @CurrentPage() visit: PageContext,
    @Param('provider') provider: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(NewcomerForm, given, (values) =>
      this.clients
        .of('accounts')
        .call('identities.sign-up', { ...values, visit: visit.bind(), visitor: visit.visitor }),
    );
    if ('errors' in result) {
      const label = (await this.providers.list()).find(({ name }) => name === provider)?.label ?? provider;
      const { ticket, name, email } = given;
      showSignUpForm(this.pages, reply, visit, { provider, label, ticket, name, email, refused: result });
      return;
    }
    await beginSession(this.clients, visit, result.done.session);
    this.pages.goOn(reply, visit, result.done.returnTo);
  }
}
