import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { QueueClients } from '#request-queue';
import { checkRecentSignIn } from '../account/present-password.form.js';
import { type Refused, submit } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { identityTexts } from './identities.texts.js';
import { Providers } from './provider.view.js';

const Unlinking = z.object({
  identityId: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/)
    .transform(Number),
});

/** What is linked to the account of a member. */
@Controller('account/identities')
export class IdentityController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
    private readonly providers: Providers,
  ) {}

  @Page('members')
  @Get()
  async list(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): Promise<void> {
    await this.show(reply, visit);
  }

  @Page('members')
  @Post(':identityId/unlink')
  async unlink(
    @CurrentPage() visit: PageContext,
    @Param() parameters: Record<string, string>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { member } = visit;
    const result = await submit(Unlinking, parameters, ({ identityId }) => {
      checkRecentSignIn(member);
      return this.clients.of('accounts').call('identities.unlink', { userId: member.id, identityId });
    });
    if ('errors' in result) await this.show(reply, visit, result);
    else this.pages.seeOther(reply, '/account/identities');
  }

  private async show(reply: FastifyReply, visit: PageContext, refused?: Refused): Promise<void> {
    const { id: userId, hasPassword } = visit.member;
    const [{ identities }, providers] = await Promise.all([
      this.clients.of('accounts').call('identities.list', { userId }),
      this.providers.list(),
    ]);
    // Those of providers that the operator has taken away let nobody in
    const usable = identities.filter(({ provider }) => providers.some(({ name }) => name === provider));
    const linked = identities.map((identity) => ({
      ...identity,
      isLast: !hasPassword && !usable.some(({ id }) => id !== identity.id),
    }));
    const others = providers.filter(({ name }) => !identities.some(({ provider }) => provider === name));
    this.pages.show(reply, visit, {
      view: 'identities/identities',
      texts: identityTexts,
      refused,
      data: { linked, others, pagePath: '/account/identities' },
      title: (words) => words.title,
    });
  }
}
