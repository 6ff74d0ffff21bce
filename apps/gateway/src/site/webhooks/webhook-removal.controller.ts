import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { undefinedIfMissing } from '../pages/idempotency.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { webhookTexts } from './webhook.texts.js';
import { parseEndpointId } from './webhook-id.form.js';

/** Deletes a webhook endpoint after a confirmation. */
@Controller('account/webhooks/:id/delete')
export class WebhookRemovalController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async showForm(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const target = { viewerId: context.member.id, endpointId: parseEndpointId(id) };
    const { webhookEndpoint } = await this.clients.of('webhooks').call('webhook-endpoints.get', target);
    this.pages.show(reply, context, {
      view: 'webhooks/delete',
      texts: webhookTexts,
      data: { endpoint: webhookEndpoint },
      title: (words) => words.deleteTitle,
    });
  }

  @Page('members')
  @Post()
  @CountsAs('webhook-endpoints.delete')
  async remove(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const target = { viewerId: context.member.id, endpointId: parseEndpointId(id) };
    await undefinedIfMissing(this.clients.of('webhooks').call('webhook-endpoints.delete', target));
    this.pages.seeOther(reply, '/account/webhooks?done=deleted');
  }
}
