import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthParameters, WebhookEndpoint } from '#contracts';
import { QueueClients } from '#request-queue';
import { CountsAs, FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { pointInTime } from '../applications/point-in-time.view.js';
import { type FormRejection, submit } from '../pages/form.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { formTexts } from '../pages/texts/form.js';
import { offsetOf, pageLimit, pagerOf, skipEmptyPage } from '../shop/pager.view.js';
import { EndpointForm, formFields, type FormValues, ReplayForm, valuesOf, valuesOfForm } from './webhook.form.js';
import { doneTexts, webhookTexts } from './webhook.texts.js';
import { parseDeliveryId, parseEndpointId } from './webhook-id.form.js';

/** A webhook endpoint of the signed-in user, with its deliveries. */
@Controller('account/webhooks/:id')
export class WebhookController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  /** @param status `failed` lists failed deliveries only */
  @Page('members')
  @Get()
  async show(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Query('status') status: unknown,
    @Query('done') done: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { language } = context;
    const [target, offset] = [targetOf(context, id), offsetOf(request)];
    const onlyFailed = status === 'failed';
    const webhooks = this.clients.of('webhooks');
    const [{ webhookEndpoint: endpoint }, { webhookDeliveries: deliveries, meta }] = await Promise.all([
      webhooks.call('webhook-endpoints.get', target),
      webhooks.call('webhook-deliveries.list', {
        ...target,
        limit: pageLimit,
        offset,
        ...(onlyFailed && { status: 'failed' as const }),
      }),
    ]);
    skipEmptyPage(request, offset, deliveries);
    const path = `${this.pages.base}/account/webhooks/${endpoint.id}`;
    this.pages.show(reply, context, {
      view: 'webhooks/webhook',
      texts: webhookTexts,
      data: {
        endpoint,
        deliveries,
        onlyFailed,
        when: (iso: string): string => pointInTime(iso, language),
        pager: pagerOf(onlyFailed ? `${path}?status=failed` : path, offset, meta.hasNext),
        notice: noticeOf(doneTexts[language], done),
      },
      title: () => new URL(endpoint.url).host,
    });
  }

  @Page('members')
  @Get('edit')
  async showForm(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { webhookEndpoint } = await this.get(context, id);
    const values = context.draft ? valuesOfForm(context.draft) : valuesOf(webhookEndpoint);
    this.showEdit(reply, context, webhookEndpoint, values);
  }

  @Page('members')
  @Post('edit')
  @FormCountsAs('webhook-endpoints.update')
  @PreservesFields(...formFields)
  async change(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { webhookEndpoint } = await this.get(context, id);
    const result = await submit(context, EndpointForm, given, (values) =>
      this.clients.of('webhooks').call('webhook-endpoints.update', { ...targetOf(context, id), ...values }),
    );
    if ('errors' in result) this.showEdit(reply, context, webhookEndpoint, valuesOfForm(given), result);
    else this.showDone(reply, id, 'saved');
  }

  @Page('members')
  @Post('pause')
  @CountsAs('webhook-endpoints.update')
  async pause(@CurrentPage() context: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.setStatus(context, id, 'paused');
    this.showDone(reply, id, 'paused');
  }

  @Page('members')
  @Post('resume')
  @CountsAs('webhook-endpoints.update')
  async resume(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.setStatus(context, id, 'enabled');
    this.showDone(reply, id, 'resumed');
  }

  @Page('members')
  @Post('test')
  @CountsAs('webhook-endpoints.test')
  async test(@CurrentPage() context: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.clients.of('webhooks').call('webhook-endpoints.test', targetOf(context, id));
    this.showDone(reply, id, 'tested');
  }

  @Page('members')
  @Post('replay')
  @CountsAs('webhook-deliveries.replay-failed')
  async replayFailed(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { since } = ReplayForm.catch(() => ReplayForm.parse({ period: 'hour' })).parse(given);
    await this.clients.of('webhooks').call('webhook-deliveries.replay-failed', { ...targetOf(context, id), since });
    this.showDone(reply, id, 'replayed-failed');
  }

  @Page('members')
  @Post('deliveries/:deliveryId/replay')
  @CountsAs('webhook-deliveries.replay')
  async replay(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const delivery = { ...targetOf(context, id), deliveryId: parseDeliveryId(deliveryId) };
    await this.clients.of('webhooks').call('webhook-deliveries.replay', delivery);
    this.showDone(reply, id, 'replayed');
  }

  private get(context: PageContext, id: string): Promise<{ webhookEndpoint: WebhookEndpoint }> {
    return this.clients.of('webhooks').call('webhook-endpoints.get', targetOf(context, id));
  }

  private async setStatus(context: PageContext, id: string, status: 'enabled' | 'paused'): Promise<void> {
    await this.clients.of('webhooks').call('webhook-endpoints.update', { ...targetOf(context, id), status });
  }

  private showDone(reply: FastifyReply, id: string, done: keyof (typeof doneTexts)['en']): void {
    this.pages.seeOther(reply, `/account/webhooks/${parseEndpointId(id)}?done=${done}`);
  }

  private showEdit(
    reply: FastifyReply,
    context: PageContext,
    endpoint: WebhookEndpoint,
    values: FormValues,
    rejection?: FormRejection,
  ): void {
    const { language } = context;
    this.pages.show(reply, context, {
      view: 'webhooks/edit',
      texts: webhookTexts,
      rejection,
      data: { endpoint, values, errorTexts: { ...formTexts[language], ...webhookTexts[language].errors } },
      title: (words) => words.edit,
    });
  }
}

function targetOf({ member }: PageContext, id: string): { viewerId: number; endpointId: number } {
  return { viewerId: member.id, endpointId: parseEndpointId(id) };
}
