import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ProblemCode, problems } from '#contracts';
import { DomainError } from '#kernel';
import { PageWriter } from './page-writer.js';
import type { Page } from './pages.js';
import { GatewayEnv } from '../env.js';
import { Public } from '../edge/routing/operation.decorator.js';
import { problemPages } from './problem-pages.js';
import { wantsPage } from '../edge/headers/accept.js';

/** Documents at the `type` URLs of problem documents: JSON for programs, HTML for browsers. */
@Controller('problems')
export class ProblemController {
  private readonly pages: ReturnType<typeof problemPages>;

  constructor(
    env: GatewayEnv,
    private readonly writer: PageWriter,
  ) {
    this.pages = problemPages(env.BASE_URL);
  }

  @Public()
  @Get()
  list(@Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): void {
    this.send(reply, wantsPage(accept) ? this.pages.list : undefined, { problems: Object.values(problems) });
  }

  @Public()
  @Get(':code')
  show(@Param('code') code: string, @Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): void {
    if (!Object.hasOwn(problems, code))
      throw new DomainError(problems['request.not-found'], 'The problem code does not exist.');
    this.send(reply, wantsPage(accept) ? this.pages.byCode[code] : undefined, problems[code as ProblemCode]);
  }

  private send(reply: FastifyReply, page: Page | undefined, json: object): void {
    void reply.header('vary', 'accept');
    if (page) this.writer.write(reply, page);
    else void reply.send(json);
  }
}
