import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { login, type OAuthParameters, typedPassword } from '#contracts';
import { QueueClients } from '#request-queue';
import { Providers } from '../identities/provider.view.js';
import { type Refused, submit, typedLine } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import { beginSession } from '../pages/begin-session.js';
import type { PageContext } from '../pages/page-context.js';
import { signInTexts } from './sign-in.texts.js';

const SignInForm = z.object({ login: typedLine.pipe(login.min(1)), password: typedPassword.min(1) });

interface SignInView {
  readonly to: string;
  readonly login?: string | undefined;
}

/** Signing in and out. */
@Controller()
export class SignInController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: Providers,
  ) {}

  @Page()
  @Get('sign-in')
  async ask(@CurrentPage() visit: PageContext, @Query('to') to: unknown, @Res() reply: FastifyReply): Promise<void> {
    if (visit.user) this.pages.seeOther(reply, to, '/account');
    else await this.show(reply, visit, { to: localPath(to, '/account') });
  }

  @Page()
  @Post('sign-in')
  async signIn(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(SignInForm, given, (values) =>
      this.clients.of('accounts').call('sessions.open', { ...values, visitor: visit.visitor }),
    );
    if ('errors' in result) {
      await this.show(reply, visit, { to: localPath(given.to, '/account'), login: given.login }, result);
      return;
    }
    await beginSession(this.clients, visit, result.done.session);
    this.pages.goOn(reply, visit, given.to);
  }

  @Page()
  @Post('sign-out')
  @HttpCode(303)
  async signOut(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (visit.user) await this.clients.of('accounts').call('sessions.close', { session: visit.user.session });
    visit.end();
    this.pages.seeOther(reply, given.to);
  }

  private async show(reply: FastifyReply, visit: PageContext, view: SignInView, refused?: Refused): Promise<void> {
    const { to, login } = view;
    const data = { to, login, signInWith: await this.providers.buttons(visit, to) };
    this.pages.show(reply, visit, {
      view: 'sign-in/sign-in',
      texts: signInTexts,
      refused,
      data,
      title: (words) => words.title,
    });
  }
}
