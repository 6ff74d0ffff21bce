import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { doneTexts, webhookTexts } from './webhook.texts.js';
import { parseEndpointId } from './webhook-id.form.js';

/** Replaces the signing secret of a webhook endpoint. */
@Controller('account/webhooks/:id/secret')
export class WebhookSecretController {
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
      view: 'webhooks/rotate',
      texts: webhookTexts,
      data: { endpoint: webhookEndpoint },
      title: (words) => words.rotateTitle,
    });
  }

  /** The secret is shown in this response only. */
  @Page('members')
  @Post()
  @CountsAs('webhook-endpoints.rotate-secret')
  @HttpCode(200)
  async rotate(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const target = { viewerId: context.member.id, endpointId: parseEndpointId(id) };
    const idempotency = idempotencyOfForm(given.csrf!, target);
    const { webhookEndpoint, secret } = await awaitFirst(() =>
      this.clients.of('webhooks').call('webhook-endpoints.rotate-secret', { ...target, idempotency }),
    );
    this.pages.show(reply, context, {
      view: 'webhooks/secret',
      texts: webhookTexts,
      data: { endpoint: webhookEndpoint, secret, notice: doneTexts[context.language].rotated },
      title: (words) => words.secretTitle,
    });
  }
}
