import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { login, type OAuthParameters, typedPassword } from '#contracts';
import { QueueClients } from '#request-queue';
import { NotCounted } from '../../edge/rate-limits/rate-limit.decorator.js';
import { ProviderView } from '../identities/provider.view.js';
import { type FormRejection, submit, typedLine } from '../pages/form.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { localPath } from '../pages/see-other.js';
import { startSession } from '../pages/start-session.js';
import type { PageContext } from '../pages/page-context.js';
import { signInDoneTexts, signInTexts } from './sign-in.texts.js';

const SignInForm = z.object({ login: typedLine.pipe(login.min(1)), password: typedPassword.min(1) });

interface SignInView {
  /** Return path; empty if no page asked for the sign-in. */
  readonly to: string;
  readonly login?: string | undefined;
  readonly notice?: string | undefined;
}

/** Sign-in with a password, and sign-out. */
@Controller()
export class SignInController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: ProviderView,
  ) {}

  /** @param done key of the confirmation to show; unknown keys show none */
  @Page()
  @Get('sign-in')
  async showForm(
    @CurrentPage() context: PageContext,
    @Query('to') to: unknown,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (context.user) {
      this.pages.seeOther(reply, to, '/account');
      return;
    }
    const notice = noticeOf(signInDoneTexts[context.language], done);
    await this.show(reply, context, { ...context.draft, to: localPath(context.draft?.to ?? to, ''), notice });
  }

  @Page()
  @Post('sign-in')
  @NotCounted('Failed sign-ins are limited per login and address.')
  @PreservesFields('login', 'to')
  async signIn(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(context, SignInForm, given, (values) =>
      this.clients.of('accounts').call('sessions.open', { ...values, visitor: context.visitor }),
    );
    if ('errors' in result) {
      await this.show(reply, context, { to: localPath(given.to, ''), login: given.login }, result);
      return;
    }
    await startSession(this.clients, context, result.value.session);
    this.pages.redirectAfterSignIn(reply, context, given.to);
  }

  @Page()
  @Post('sign-out')
  @NotCounted('A session ends once.')
  @HttpCode(303)
  async signOut(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (context.user) await this.clients.of('accounts').call('sessions.close', { session: context.user.session });
    context.clearSession();
    this.pages.seeOther(reply, given.to);
  }

  private async show(
    reply: FastifyReply,
    context: PageContext,
    view: SignInView,
    rejection?: FormRejection,
  ): Promise<void> {
    const { to, login, notice } = view;
    const data = { to, login, notice, signInWith: await this.providers.buttons(context, to) };
    this.pages.show(reply, context, {
      view: 'sign-in/sign-in',
      texts: signInTexts,
      rejection,
      data,
      title: (words) => words.title,
    });
  }
}
