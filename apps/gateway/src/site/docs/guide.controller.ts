import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Public } from '../../edge/routing/operation.decorator.js';
import { basePathOf } from '../../edge/routing/path.js';
import { GatewayEnv } from '../../env.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { sendPublic } from '../pages/send-public.js';
import type { PageContext } from '../pages/page-context.js';
import { readGuide, readGuideFiles, renderGuide } from './guide.js';
import { guideTexts } from './guide.texts.js';

/** Guide for client developers (docs/clients.md), and the programs and types that it links. */
@Controller('guide')
export class GuideController {
  private readonly guide: ReturnType<typeof renderGuide>;
  private readonly files: ReadonlyMap<string, string>;

  constructor(
    { BASE_URL }: GatewayEnv,
    private readonly pages: PageRenderer,
  ) {
    const files = [...readGuideFiles()];
    this.files = new Map(files.map(([, { name, text }]) => [name, text]));
    const paths = files.map(([link, { name }]) => [link, `${basePathOf(BASE_URL)}/guide/${name}`] as const);
    this.guide = renderGuide(readGuide(), BASE_URL, new Map(paths));
  }

  @Page()
  @Get()
  show(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    const { html, sections } = this.guide;
    this.pages.show(reply, context, {
      view: 'docs/guide',
      texts: guideTexts,
      title: (words) => words.title,
      data: { html, sections },
      storable: true,
    });
  }

  @Public()
  @Get(':name')
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const text = this.files.get(name);
    if (text === undefined) throw new DomainError(problems['request.not-found'], 'The file does not exist.');
    sendPublic(reply, 'text/plain', text);
  }
}
