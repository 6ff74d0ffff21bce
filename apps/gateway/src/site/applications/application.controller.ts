import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Application, OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { FormCountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { type FormRejection, submit } from '../pages/form.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { noticeOf } from '../pages/notice.view.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { formTexts } from '../pages/texts/form.js';
import type { PageContext } from '../pages/page-context.js';
import {
  UpdateForm,
  formFields,
  type FormValues,
  rejectedLines,
  RegistrationForm,
  valuesOf,
  valuesOfForm,
} from './application.form.js';
import { parseApplicationId } from './application-id.form.js';
import { applicationTexts, doneTexts } from './application.texts.js';
import { pointInTime } from './point-in-time.view.js';

interface FormView {
  readonly values: FormValues;
  readonly rejection?: FormRejection;
}

/** Applications that the signed-in user has registered. */
@Controller('applications')
export class ApplicationController {
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
    const ownerId = context.member.id;
    const { applications } = await this.clients.of('accounts').call('applications.list', { ownerId });
    this.pages.show(reply, context, {
      view: 'applications/applications',
      texts: applicationTexts,
      data: { applications, notice: noticeOf(doneTexts[context.language], done) },
      title: (words) => words.title,
    });
  }

  @Page('members')
  @Get('new')
  showNewForm(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.showNew(reply, context, { values: context.draft ? valuesOfForm(context.draft) : {} });
  }

  /** The client secret of a confidential application is shown in this response only. */
  @Page('members')
  @Post('new')
  @FormCountsAs('users.update')
  @PreservesFields(...formFields, 'kind')
  async register(
    @CurrentPage() context: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await submit(context, RegistrationForm, given, (values) => {
      const application = { ownerId: context.member.id, ...values };
      const idempotency = idempotencyOfForm(given.csrf!, application);
      return awaitFirst(() => this.clients.of('accounts').call('applications.create', { ...application, idempotency }));
    });
    if ('errors' in result) {
      this.showNew(reply, context, { rejection: result, values: valuesOfForm(given) });
      return;
    }
    const { applicationId, clientId, clientSecret } = result.value;
    if (clientSecret === null) this.pages.seeOther(reply, `/applications/${applicationId}?done=registered`);
    else
      this.pages.show(reply, context, {
        view: 'applications/secret',
        texts: applicationTexts,
        data: { applicationId, clientId, clientSecret, notice: doneTexts[context.language].registered },
        title: (words) => words.secretTitle,
      });
  }

  @Page('members')
  @Get(':id')
  async show(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await this.get(context, id);
    this.showOne(reply, context, application, {
      values: context.draft ? valuesOfForm(context.draft) : valuesOf(application),
      notice: noticeOf(doneTexts[context.language], done),
    });
  }

  @Page('members')
  @Post(':id')
  @FormCountsAs('users.update')
  @PreservesFields(...formFields)
  async change(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await this.get(context, id);
    const owned = { ownerId: context.member.id, applicationId: application.id };
    const result = await submit(context, UpdateForm, given, (values) =>
      this.clients.of('accounts').call('applications.update', { ...owned, ...values }),
    );
    if ('errors' in result)
      this.showOne(reply, context, application, { rejection: result, values: valuesOfForm(given) });
    else this.pages.seeOther(reply, `/applications/${application.id}?done=saved`);
  }

  private get(context: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: context.member.id, applicationId: parseApplicationId(id) };
    return this.clients.of('accounts').call('applications.get', owned);
  }

  private showNew(reply: FastifyReply, context: PageContext, form: FormView): void {
    this.pages.show(reply, context, {
      view: 'applications/new',
      texts: applicationTexts,
      rejection: form.rejection,
      data: fieldsOf(context, form),
      title: (words) => words.newTitle,
    });
  }

  private showOne(
    reply: FastifyReply,
    context: PageContext,
    application: Application,
    { notice, ...form }: FormView & { readonly notice?: string | undefined },
  ): void {
    const created = pointInTime(application.createdAt, context.language);
    this.pages.show(reply, context, {
      view: 'applications/application',
      texts: applicationTexts,
      rejection: form.rejection,
      data: { ...fieldsOf(context, form), application, created, notice },
      title: () => application.name,
    });
  }
}

function fieldsOf({ language }: PageContext, { values, rejection }: FormView): object {
  const rejectedUris = rejectedLines(values.redirectUris ?? '', rejection?.details ?? []);
  return { values, rejectedUris, errorTexts: { ...formTexts[language], ...applicationTexts[language].errors } };
}
