import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Application, OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { type Refused, submit } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { formTexts } from '../pages/texts/form.js';
import type { PageContext } from '../pages/page-context.js';
import {
  ChangeForm,
  type FormValues,
  refusedLines,
  RegistrationForm,
  valuesOf,
  valuesOfForm,
} from './application.form.js';
import { applicationIdOf } from './application-id.form.js';
import { applicationTexts, doneTexts } from './application.texts.js';
import { pointInTime } from './point-in-time.view.js';

interface FormView {
  readonly values: FormValues;
  readonly refused?: Refused;
}

/** The applications that a developer has registered. */
@Controller('applications')
export class ApplicationController {
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
    const ownerId = visit.member.id;
    const { applications } = await this.clients.of('accounts').call('applications.list', { ownerId });
    this.pages.show(reply, visit, {
      view: 'applications/applications',
      texts: applicationTexts,
      data: { applications, notice: noticeOf(visit, done) },
      title: (words) => words.title,
    });
  }

  @Page('members')
  @Get('new')
  ask(@CurrentPage() visit: PageContext, @Res() reply: FastifyReply): void {
    this.showNew(reply, visit, { values: {} });
  }

  /** A secret is shown in this answer and never again. */
  @Page('members')
  @Post('new')
  async register(
    @CurrentPage() visit: PageContext,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const ownerId = visit.member.id;
    const result = await submit(RegistrationForm, given, (values) =>
      this.clients.of('accounts').call('applications.create', { ownerId, ...values }),
    );
    if ('errors' in result) {
      this.showNew(reply, visit, { refused: result, values: valuesOfForm(given) });
      return;
    }
    const { applicationId, clientId, clientSecret } = result.done;
    if (clientSecret === null) this.pages.seeOther(reply, `/applications/${applicationId}?done=registered`);
    else
      this.pages.show(reply, visit, {
        view: 'applications/secret',
        texts: applicationTexts,
        data: { applicationId, clientId, clientSecret, notice: doneTexts[visit.language].registered },
        title: (words) => words.secretTitle,
      });
  }

  @Page('members')
  @Get(':id')
  async show(
    @CurrentPage() visit: PageContext,
    @Param('id') id: string,
    @Query('done') done: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await this.get(visit, id);
    this.showOne(reply, visit, application, { values: valuesOf(application), notice: noticeOf(visit, done) });
  }

  @Page('members')
  @Post(':id')
  async change(
    @CurrentPage() visit: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await this.get(visit, id);
    const owned = { ownerId: visit.member.id, applicationId: application.id };
    const result = await submit(ChangeForm, given, (values) =>
      this.clients.of('accounts').call('applications.update', { ...owned, ...values }),
    );
    if ('errors' in result) this.showOne(reply, visit, application, { refused: result, values: valuesOfForm(given) });
    else this.pages.seeOther(reply, `/applications/${application.id}?done=saved`);
  }

  private get(visit: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: visit.member.id, applicationId: applicationIdOf(id) };
    return this.clients.of('accounts').call('applications.get', owned);
  }

  private showNew(reply: FastifyReply, visit: PageContext, form: FormView): void {
    this.pages.show(reply, visit, {
      view: 'applications/new',
      texts: applicationTexts,
      refused: form.refused,
      data: fieldsOf(visit, form),
      title: (words) => words.newTitle,
    });
  }

  private showOne(
    reply: FastifyReply,
    visit: PageContext,
    application: Application,
    { notice, ...form }: FormView & { readonly notice?: string | undefined },
  ): void {
    const created = pointInTime(application.createdAt, visit.language);
    this.pages.show(reply, visit, {
      view: 'applications/application',
      texts: applicationTexts,
      refused: form.refused,
      data: { ...fieldsOf(visit, form), application, created, notice },
      title: () => application.name,
    });
  }
}

/** What has just been done, by the word for it in an address; nothing when there is no such word. */
function noticeOf({ language }: PageContext, done: unknown): string | undefined {
  const sentences: Readonly<Record<string, string>> = doneTexts[language];
  return typeof done === 'string' && Object.hasOwn(sentences, done) ? sentences[done] : undefined;
}

function fieldsOf({ language }: PageContext, { values, refused: refusal }: FormView): object {
  const refused = refusedLines(values.redirectUris ?? '', refusal?.details ?? []);
  return { values, refused, errorTexts: { ...formTexts[language], ...applicationTexts[language].errors } };
}
