import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Application, OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import type { Refused } from '../pages/form.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { applicationIdOf } from './application-id.form.js';
import { applicationTexts } from './application.texts.js';

/** Names are compared as they look: keyboards differ in how they compose a letter, and phones add a space. */
const asItLooks = (name: string): string => name.normalize('NFC').trim().replace(/\s+/g, ' ');

const notTheName: Refused = { errors: { confirmation: 'confirmation.invalid' }, status: 422 };

/** Deleting an application, after its name was typed. */
@Controller('applications/:id/delete')
export class ApplicationRemovalController {
  constructor(
    private readonly pages: PageRenderer,
    private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  async ask(@CurrentPage() visit: PageContext, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    this.show(reply, visit, await this.get(visit, id));
  }

  @Page('members')
  @Post()
  async remove(
    @CurrentPage() visit: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await this.get(visit, id);
    const { confirmation = '' } = given;
    if (asItLooks(confirmation) !== asItLooks(application.name)) {
      this.show(reply, visit, application, confirmation);
      return;
    }
    const owned = { ownerId: visit.member.id, applicationId: application.id };
    await this.clients.of('accounts').call('applications.delete', owned);
    this.pages.seeOther(reply, '/applications?done=deleted');
  }

  private get(visit: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: visit.member.id, applicationId: applicationIdOf(id) };
    return this.clients.of('accounts').call('applications.get', owned);
  }

  /** @param confirmation what was typed and is not the name */
  private show(reply: FastifyReply, visit: PageContext, application: Application, confirmation?: string): void {
    const wrong = confirmation === undefined ? undefined : notTheName;
    this.pages.show(reply, visit, {
      view: 'applications/delete',
      texts: applicationTexts,
      refused: wrong,
      data: { application, confirmation },
      title: (words) => words.deleteTitle,
    });
  }
}
