import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { GATEWAY_ENV, type GatewayEnv } from '../env.js';
import { Public } from '../operations/operation.decorator.js';
import { contentSecurityPolicy, type Page, pagesOf } from './pages.js';

/** Pages for people who write clients. */
@Controller()
export class DocsController {
  private readonly pages: ReadonlyMap<string, Page>;
  private readonly policy: string;

  constructor(@Inject(GATEWAY_ENV) env: GatewayEnv) {
    this.pages = pagesOf(env.BASE_URL);
    this.policy = contentSecurityPolicy(env.BASE_URL);
  }

  @Public()
  @Get()
  welcome(@Res() reply: FastifyReply): void {
    this.show('/', reply);
  }

  @Public()
  @Get('docs')
  docs(@Res() reply: FastifyReply): void {
    this.show('/docs', reply);
  }

  @Public()
  @Get('docs/:name')
  part(@Param('name') name: string, @Res() reply: FastifyReply): void {
    this.show(`/docs/${name}`, reply);
  }

  private show(path: string, reply: FastifyReply): void {
    const page = this.pages.get(path);
    if (!page) throw new DomainError(problems['request.not-found'], 'There is no such page.');
    void reply.headers({
      etag: page.etag,
      'cache-control': 'public, max-age=300',
      'content-security-policy': this.policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    void reply.type(`${page.mediaType}; charset=utf-8`).send(page.bytes);
  }
}
