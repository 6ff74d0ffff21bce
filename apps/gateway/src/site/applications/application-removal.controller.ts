import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Application, OAuthParameters } from '#contracts';
import { QueueClients } from '#request-queue';
import { CountsAs } from '../../edge/rate-limits/rate-limit.decorator.js';
import type { FormRejection } from '../pages/form.js';
import { undefinedIfMissing } from '../pages/idempotency.js';
import { CurrentPage, Page, PreservesFields } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { parseApplicationId } from './application-id.form.js';
import { applicationTexts } from './application.texts.js';

/**
 * Normalizes a name for comparison: keyboards compose letters differently, and phones append a
 * space.
 */
const normalizeName = (name: string): string => name.normalize('NFC').trim().replace(/\s+/g, ' ');

const wrongName: FormRejection = { errors: { confirmation: 'confirmation.invalid' }, status: 422 };

/** Deletes an application after its owner has typed its name. */
@Controller('applications/:id/delete')
export class ApplicationRemovalController {
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
    this.show(reply, context, await this.get(context, id));
  }

  @Page('members')
  @Post()
  @CountsAs('users.update')
  @PreservesFields()
  async remove(
    @CurrentPage() context: PageContext,
    @Param('id') id: string,
    @Body() { given }: OAuthParameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const application = await undefinedIfMissing(this.get(context, id));
    const { confirmation = '' } = given;
    if (application && normalizeName(confirmation) !== normalizeName(application.name)) {
      this.show(reply, context, application, confirmation);
      return;
    }
    if (application) {
      const owned = { ownerId: context.member.id, applicationId: application.id };
      await undefinedIfMissing(this.clients.of('accounts').call('applications.delete', owned));
    }
    this.pages.seeOther(reply, '/applications?done=deleted');
  }

  private get(context: PageContext, id: string): Promise<Application> {
    const owned = { ownerId: context.member.id, applicationId: parseApplicationId(id) };
    return this.clients.of('accounts').call('applications.get', owned);
  }

  /** @param confirmation rejected input for the name */
  private show(reply: FastifyReply, context: PageContext, application: Application, confirmation?: string): void {
    const rejection = confirmation === undefined ? undefined : wrongName;
    this.pages.show(reply, context, {
      view: 'applications/delete',
      texts: applicationTexts,
      rejection,
      data: { application, confirmation },
      title: (words) => words.deleteTitle,
    });
  }
}
