import { Controller, Get, HttpCode, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { QueueClients } from '#request-queue';
import { CurrentVisit, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { Visit } from '../pages/visit.js';
import { keyTexts } from './key.texts.js';

interface KeyView {
  readonly apiKey?: string;
  readonly replaced?: boolean;
}

/** The personal API key: in a page only when it was asked for by a form. */
@Controller('applications/key')
export class KeyController {
  constructor(
    @Inject(PageRenderer) private readonly pages: PageRenderer,
    @Inject(QueueClients) private readonly clients: QueueClients,
  ) {}

  @Page('members')
  @Get()
  ask(@CurrentVisit() visit: Visit, @Res() reply: FastifyReply): void {
    this.show(reply, visit, {});
  }

  @Page('members')
  @Post()
  @HttpCode(200)
  async reveal(@CurrentVisit() visit: Visit, @Res() reply: FastifyReply): Promise<void> {
    const userId = visit.member.id;
    this.show(reply, visit, await this.clients.of('accounts').call('keys.show', { userId }));
  }

  @Page('members')
  @Get('replace')
  askToReplace(@CurrentVisit() visit: Visit, @Res() reply: FastifyReply): void {
    this.pages.show(reply, visit, {
      ...{ view: 'applications/replace-key', texts: keyTexts },
      title: (words) => words.replaceTitle,
    });
  }

  @Page('members')
  @Post('replace')
  @HttpCode(200)
  async replace(@CurrentVisit() visit: Visit, @Res() reply: FastifyReply): Promise<void> {
    const userId = visit.member.id;
    const { apiKey } = await this.clients.of('accounts').call('keys.replace', { userId });
    this.show(reply, visit, { apiKey, replaced: true });
  }

  private show(reply: FastifyReply, visit: Visit, { apiKey, replaced }: KeyView): void {
    this.pages.show(reply, visit, {
      ...{ view: 'applications/key', texts: keyTexts, data: { apiKey, replaced } },
      title: (words) => words.title,
    });
  }
}
