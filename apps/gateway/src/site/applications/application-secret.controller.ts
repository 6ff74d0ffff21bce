import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Application, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import { awaitFirst, idempotencyOfForm } from '../pages/idempotency.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { parseApplicationId } from './application-id.form.js';
import { applicationTexts, doneTexts } from './application.texts.js';

/** Replaces the client secret of a confidential application. */
@Controller('applications/:id/secret')
export class ApplicationSecretController {
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
    const application = await this.get(context, id);
    this.pages.show(reply, context, {
      view: 'applications/renew-secret',
      texts: applicationTexts,
      data: { application },
      title: (words) => words.renewTitle,
    });
  }

  /** The secret is shown in this response only. */
  @Page('members')
  @Post()
  @CountsAs('users.update')
  @HttpCode(200)
  async renew(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id: applicationId, clientId } = await this.get(context, id);
    const owned = { ownerId: context.member.id, applicationId };
    const idempotency = idempotencyOfForm(given.csrf!, owned);
    const { clientSecret } = await awaitFirst(() =>
      this.clients.of('accounts').call('applications.renew-secret', { ...owned, idempotency }),
    );
    this.pages.show(reply, context, {
      view: 'applications/secret',
      texts: applicationTexts,
      data: { applicationId, clientId, clientSecret, notice: doneTexts[context.language].renewed },
      title: (words) => words.secretTitle,
    });
  }

  private async get(context: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: context.member.id, applicationId: parseApplicationId(id) };
    const application = await this.clients.of('accounts').call('applications.get', owned);
    if (application.confidential) return application;
    throw new DomainError(problems['request.not-found'], 'A public application has no secret.');
  }
}
