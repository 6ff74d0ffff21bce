import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { emailAddress, newPassword, type OAuthParameters, userName } from '#contracts';
import { QueueClients } from '#request-queue';
import { Providers } from '../identities/provider.view.js';
import { type Refused, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import { beginSession } from '../pages/begin-session.js';
import type { PageContext } from '../pages/page-context.js';
import { signUpTexts } from './sign-up.texts.js';

const SignUpForm = z.object({ name: typedLine.pipe(userName), email: typedLine.pipe(emailAddress), newPassword });

interface SignUpView {
  readonly to: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Making an account. Who has one already is led to it. */
@Controller('sign-up')
export class SignUpController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: Providers,
  ) {}

  @Page()
  @Get()
  async ask(@CurrentPage() visit: PageContext, @Query('to') to: unknown, @Res() reply: FastifyReply): Promise<void> {
    if (visit.user) this.pages.seeOther(reply, '/account');
    else await this.show(reply, visit, { to: localPath(to, '/account') });
  }

  @Page()
  @Post()
  async signUp(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (visit.user) {
      this.pages.seeOther(reply, '/account');
      return;
    }
    const result = await submit(SignUpForm, given, ({ name, email, newPassword: password }) =>
      this.clients.of('accounts').call('users.sign-up', { name, email, password, visitor: visit.visitor }),
    );
    if ('errors' in result) {
      const { name, email, to } = given;
      await this.show(reply, visit, { name, email, to: localPath(to, '/account') }, result);
      return;
    }
    await beginSession(this.clients, visit, result.done.session);
    this.pages.goOn(reply, visit, given.to);
  }

  private async show(reply: FastifyReply, visit: PageContext, view: SignUpView, refused?: Refused): Promise<void> {
    const { to, name, email } = view;
    const data = { to, name, email, signInWith: await this.providers.buttons(visit, to) };
    this.pages.show(reply, visit, {
      view: 'sign-up/sign-up',
      texts: signUpTexts,
      refused,
      data,
      title: (words) => words.title,
    });
  }
}
