import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Application, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { applicationIdOf } from './application-id.form.js';
import { applicationTexts, doneTexts } from './application.texts.js';

/** A new secret for an application that has one. */
@Controller('applications/:id/secret')
export class ApplicationSecretController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async ask(@CurrentPage() visit: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const application = await this.get(visit, id);
    this.pages.show(reply, visit, {
      view: 'applications/renew-secret',
      texts: applicationTexts,
      data: { application },
      title: (words) => words.renewTitle,
    });
  }

  /** It is shown in this answer and never again. */
  @Page('members')
  @Post()
  @HttpCode(200)
  async renew(@CurrentPage() visit: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const { id: applicationId, clientId } = await this.get(visit, id);
    const { clientSecret } = await this.clients
      .of('accounts')
      .call('applications.renew-secret', { ownerId: visit.member.id, applicationId });
    this.pages.show(reply, visit, {
      view: 'applications/secret',
      texts: applicationTexts,
      data: { applicationId, clientId, clientSecret, notice: doneTexts[visit.language].renewed },
      title: (words) => words.secretTitle,
    });
  }

  private async get(visit: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: visit.member.id, applicationId: applicationIdOf(id) };
    const application = await this.clients.of('accounts').call('applications.get', owned);
    if (application.confidential) return application;
    throw new DomainError(problems['request.not-found'], 'A public application has no secret.');
  }
}
