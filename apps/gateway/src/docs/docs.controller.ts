import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { GatewayEnv } from '../env.js';
import { Public } from '../edge/routing/operation.decorator.js';
import { type Page, pagesOf } from './pages.js';
import { PageWriter } from './page-writer.js';

/** Interactive documentation for client developers. */
@Controller()
export class DocsController {
  private readonly pages: ReadonlyMap<string, Page>;

  constructor(
    env: GatewayEnv,
    private readonly writer: PageWriter,
  ) {
    this.pages = pagesOf(env.BASE_URL);
  }

  @Public()
  @Get('docs')
  docs(@Res() reply: FastifyReply): void {
    this.show('/docs', reply);
  }

  @Public()
  @Get('docs/:name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    this.show(`/docs/${name}`, reply);
  }

  private show(path: string, reply: FastifyReply): void {
    const page = this.pages.get(path);
    if (!page) throw new DomainError(problems['request.not-found'], 'The page does not exist.');
    this.writer.write(reply, page);
  }
}
