import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { consentTexts } from '../oauth/oauth.texts.js';
import { QueueClients } from '#request-queue';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { applicationIdOf } from './application-id.form.js';
import { grantTexts } from './grant.texts.js';
import { pointInTime } from './point-in-time.view.js';

/** The applications that may act in a user's name. */
@Controller('account/applications')
export class GrantController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async list(
    @CurrentPage() visit: PageContext,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { grants } = await this.clients.of('accounts').call('grants.list', { userId: visit.member.id });
    const when = (iso: string): string => pointInTime(iso, visit.language);
    this.pages.show(reply, visit, {
      view: 'applications/grants',
      texts: grantTexts,
      data: { grants, when, scopes: consentTexts[visit.language].scopes, revoked: done === 'revoked' },
      title: (words) => words.title,
    });
  }

  /** Asked for twice, it is done once. */
  @Page('members')
  @Post(':id/revoke')
  async revoke(@CurrentPage() visit: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const grant = { userId: visit.member.id, applicationId: applicationIdOf(id) };
    await this.clients.of('accounts').call('grants.revoke', grant);
    this.pages.seeOther(reply, '/account/applications?done=revoked');
  }
}
