import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Application, OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { parseApplicationId } from '../applications/application-id.form.js';
import { type FormRejection, submit } from '../pages/form.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { formTexts } from '../pages/texts/form.js';
import { formFields, type FormValues, NewEndpointForm, valuesOfForm } from './webhook.form.js';
import { doneTexts, webhookTexts } from './webhook.texts.js';

type OfApplication = Pick<Application, 'id' | 'name'> | null;

interface FormView {
  readonly values: FormValues;
  readonly rejection?: FormRejection;
}

/** Returns the path of the list of an application, or of the user's own list. */
const listPath = (application: OfApplication): string =>
  application ? `/applications/${application.id}/webhooks` : '/account/webhooks';

/** Webhook endpoints of the signed-in user, and of an application of the user. */
@Controller()
export class WebhookListController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get('account/webhooks')
  list(@CurrentPage() context: PageContext, @Query('done') done: unknown, @Res() reply: FastifyReply): Promise<void> {
    return this.showList(reply, context, null, done);
  }

  @Page('members')
  @Get('applications/:id/webhooks')
  async listOfApplication(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.showList(reply, context, await this.application(context, id), done);
  }

  @Page('members')
  @Get('account/webhooks/new')
  showNewForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.showNew(reply, context, null, { values: valuesOfForm(context.draft ?? {}) });
  }

  @Page('members')
  @Get('applications/:id/webhooks/new')
  async showNewFormOfApplication(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.showNew(reply, context, await this.application(context, id), { values: valuesOfForm(context.draft ?? {}) });
  }

  /** The secret is shown in this response only. */
  @Page('members')
  @Post('account/webhooks/new')
  @FormCountsAs('webhook-endpoints.create')
  @PreservesFields(...formFields, 'v1a')
  create(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.createFor(reply, context, null, given);
  }

  /** The secret is shown in this response only. */
  @Page('members')
  @Post('applications/:id/webhooks/new')
  @FormCountsAs('webhook-endpoints.create')
  @PreservesFields(...formFields, 'v1a')
  async createOfApplication(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.createFor(reply, context, await this.application(context, id), given);
  }

  private async showList(
    reply: FastifyReply,
    context: PageContext,
    application: OfApplication,
    done: unknown,
  ): Promise<void> {
    const { member, language } = context;
    const { webhookEndpoints } = await this.clients
      .of('webhooks')
      .call('webhook-endpoints.list', { viewerId: member.id });
    const endpoints = webhookEndpoints.filter(({ applicationId }) => applicationId === (application?.id ?? null));
    this.pages.show(reply, context, {
      view: 'webhooks/webhooks',
      texts: webhookTexts,
      data: { endpoints, application, path: listPath(application), notice: noticeOf(doneTexts[language], done) },
      title: (words) => (application ? words.titleOf(application.name) : words.title),
    });
  }

  private async createFor(
    reply: FastifyReply,
    context: PageContext,
    application: OfApplication,
    given: Readonly<Record<string, string>>,
  ): Promise<void> {
    const result = await submit(context, NewEndpointForm, given, (values) => {
      const endpoint = { viewerId: context.member.id, applicationId: application?.id ?? null, ...values };
      const idempotency = idempotencyOfForm(given.csrf!, endpoint);
      return awaitFirst(() =>
        this.clients.of('webhooks').call('webhook-endpoints.create', { ...endpoint, idempotency }),
      );
    });
    if ('errors' in result) {
      this.showNew(reply, context, application, { rejection: result, values: valuesOfForm(given) });
      return;
    }
    this.pages.show(reply, context, {
      view: 'webhooks/secret',
      texts: webhookTexts,
      data: {
        endpoint: result.value.webhookEndpoint,
        secret: result.value.secret,
        notice: doneTexts[context.language].created,
      },
      title: (words) => words.secretTitle,
    });
  }

  private showNew(
    reply: FastifyReply,
    context: PageContext,
    application: OfApplication,
    { values, rejection }: FormView,
  ): void {
    const { language } = context;
    this.pages.show(reply, context, {
      view: 'webhooks/new',
      texts: webhookTexts,
      rejection,
      data: {
        values,
        application,
        path: listPath(application),
        errorTexts: { ...formTexts[language], ...webhookTexts[language].errors },
      },
      title: (words) => words.newTitle,
    });
  }

  private application(context: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: context.member.id, applicationId: parseApplicationId(id) };
    return this.clients.of('accounts').call('applications.get', owned);
  }
}
