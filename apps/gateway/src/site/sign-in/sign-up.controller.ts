import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, newPassword, type OAuthParameters, userName } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { ProviderView } from '../identities/provider.view.js';
import { type FormRejection, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import { firstPath, startSession } from '../pages/start-session.js';
import type { PageContext } from '../pages/page-context.js';
import { signUpTexts } from './sign-up.texts.js';

const SignUpForm = z.object({ name: typedLine.pipe(userName), email: typedLine.pipe(emailAddress), newPassword });

interface SignUpView {
  /** Return path; empty if no page asked for the sign-in. */
  readonly to: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Sign-up with a password. Redirects signed-in users to their account. */
@Controller('sign-up')
export class SignUpController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: ProviderView,
  ) {}

  @Page()
  @Get()
  async showForm(
    @CurrentPage() context: PageContext,
    @Query('to') to: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (context.user) this.pages.seeOther(reply, '/account');
    else await this.show(reply, context, { ...context.draft, to: localPath(context.draft?.to ?? to, '') });
  }

  @Page()
  @Post()
  @NotCounted('Sign-ups are limited per address.')
  @PreservesFields('name', 'email', 'to')
  async signUp(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (context.user) {
      this.pages.seeOther(reply, '/account');
      return;
    }
    const { visitor } = context;
    const accounts = this.clients.of('accounts');
    const result = await submit(
      context,
      SignUpForm,
      given,
      ({ newPassword: password, ...user }) => accounts.call('users.sign-up', { ...user, password, visitor }),
      ({ newPassword: password, ...user }) => accounts.call('users.check-sign-up', { ...user, password, visitor }),
    );
    if ('errors' in result) {
      const { name, email, to } = given;
      await this.show(reply, context, { name, email, to: localPath(to, '') }, result);
      return;
    }
    await startSession(this.clients, context, result.value.session);
    this.pages.redirectAfterSignIn(reply, context, given.to, firstPath);
  }

  private async show(
    reply: FastifyReply,
    context: PageContext,
    view: SignUpView,
    rejection?: FormRejection,
  ): Promise<void> {
    const { to, name, email } = view;
    const data = { to, name, email, signInWith: await this.providers.buttons(context, to) };
    this.pages.show(reply, context, {
      view: 'sign-up/sign-up',
      texts: signUpTexts,
      rejection,
      data,
      title: (words) => words.title,
    });
  }
}
