import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Public } from '../../edge/routing/operation.decorator.js';
import { docsScript } from '../pages/assets.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { docsTexts } from './docs.texts.js';
import { readSwaggerUi } from './swagger-ui.js';

const fileHeaders = {
  'cache-control': 'public, max-age=300',
  // oauth2-redirect.html loads a script of this site
  'content-security-policy': "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Interactive documentation for client developers: Swagger UI, and links to other documents. */
@Controller('docs')
export class DocsController {
  private readonly files = readSwaggerUi();

  constructor(private readonly pages: PageRenderer) {}

  @Page()
  @Get()
  show(@CurrentPage() context: PageContext, @Res() reply: FastifyReply): void {
    this.pages.show(reply, context, {
      view: 'docs/docs',
      texts: docsTexts,
      title: (words) => words.title,
      head: '/docs/docs-head',
      scripts: ['/docs/swagger-ui-bundle.js', docsScript.path],
      storable: true,
    });
  }

  @Public()
  @Get(':name')
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const file = this.files.get(name);
    if (!file) throw new DomainError(problems['request.not-found'], 'The file does not exist.');
    void reply
      .headers({ ...fileHeaders, etag: file.etag })
      .type(`${file.mediaType}; charset=utf-8`)
      .send(file.bytes);
  }
}
