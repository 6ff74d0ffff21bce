import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { checkRecentSignIn } from '../account/current-password.form.js';
import { type FormRejection, submit } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { identityTexts } from './identities.texts.js';
import { ProviderView } from './provider.view.js';

const UnlinkParameters = z.object({
  identityId: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/)
    .transform(Number),
});

/** Identities that are linked to the account of the signed-in user. */
@Controller('account/identities')
export class IdentityController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: ProviderView,
  ) {}

  @Page('members')
  @Get()
  async list(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): Promise<void> {
    await this.show(reply, context);
  }

  @Page('members')
  @Post(':identityId/unlink')
  @CountsAs('users.update')
  async unlink(
    @CurrentPage() context: PageContext,
    @Param() parameters: Record<string, string>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member } = context;
    const result = await submit(context, UnlinkParameters, parameters, ({ identityId }) => {
      checkRecentSignIn(member);
      return this.clients.of('accounts').call('identities.unlink', { userId: member.id, identityId });
    });
    if ('errors' in result) await this.show(reply, context, result);
    else this.pages.seeOther(reply, '/account/identities');
  }

  private async show(reply: FastifyReply, context: PageContext, rejection?: FormRejection): Promise<void> {
    const { id: userId, hasPassword } = context.member;
    const [{ identities }, providers] = await Promise.all([
      this.clients.of('accounts').call('identities.list', { userId }),
      this.providers.list(),
    ]);
    // Identities of providers that are no longer configured cannot be used to sign in
    const usable = identities.filter(({ provider }) => providers.some(({ name }) => name === provider));
    const linked = identities.map((identity) => ({
      ...identity,
      isLast: !hasPassword && !usable.some(({ id }) => id !== identity.id),
    }));
    const others = providers.filter(({ name }) => !identities.some(({ provider }) => provider === name));
    this.pages.show(reply, context, {
      view: 'identities/identities',
      texts: identityTexts,
      rejection,
      data: { linked, others, pagePath: '/account/identities' },
      title: (words) => words.title,
    });
  }
}
