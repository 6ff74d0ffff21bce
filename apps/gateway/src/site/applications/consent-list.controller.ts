import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { consentTexts } from '../oauth/oauth.texts.js';
import { QueueClients } from '#request-queue';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { parseApplicationId } from './application-id.form.js';
import { consentListTexts } from './consent-list.texts.js';
import { pointInTime } from './point-in-time.view.js';

/** Applications to which the signed-in user has granted access. */
@Controller('account/applications')
export class ConsentListController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async list(
    @CurrentPage() context: PageContext,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { consents } = await this.clients.of('accounts').call('consents.list', { userId: context.member.id });
    const when = (iso: string): string => pointInTime(iso, context.language);
    this.pages.show(reply, context, {
      view: 'applications/consents',
      texts: consentListTexts,
      data: { consents, when, scopes: consentTexts[context.language].scopes, revoked: done === 'revoked' },
      title: (words) => words.title,
    });
  }

  /** Revokes the access of an application. Idempotent. */
  @Page('members')
  @Post(':id/revoke')
  @CountsAs('users.update')
  async revoke(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const consent = { userId: context.member.id, applicationId: parseApplicationId(id) };
    await this.clients.of('accounts').call('consents.revoke', consent);
    this.pages.seeOther(reply, '/account/applications?done=revoked');
  }
}
