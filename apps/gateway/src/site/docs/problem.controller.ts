import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ProblemCode, problems } from '#contracts';
import { DomainError } from '#kernel';
import { wantsPage } from '../../edge/headers/accept.js';
import { CurrentPage, Page } from '../pages/page.decorator.js';
import { PageRenderer } from '../pages/page-renderer.js';
import type { PageContext } from '../pages/page-context.js';
import { problemTexts } from './problem.texts.js';

const all = Object.values(problems);
const statuses = [...new Set(all.map(({ status }) => status))].sort((a, b) => a - b);
const groups = statuses.map((status) => ({ status, problems: all.filter((it) => it.status === status) }));

/** Documents at the `type` URLs of problem documents: JSON for programs, HTML for browsers. */
@Controller('problems')
export class ProblemController {
  constructor(private readonly pages: PageRenderer) {}

  @Page()
  @Get()
  list(
    @CurrentPage() context: PageContext,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    if (wantsPage(accept))
      this.pages.show(reply, context, {
        view: 'docs/problems',
        texts: problemTexts,
        title: (words) => words.title,
        data: { groups },
        storable: true,
      });
    else sendJson(reply, { problems: all });
  }

  @Page()
  @Get(':code')
  show(
    @CurrentPage() context: PageContext,
    @Param('code') code: string,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    if (!Object.hasOwn(problems, code))
      throw new DomainError(problems['request.not-found'], 'The problem code does not exist.');
    const problem = problems[code as ProblemCode];
    if (wantsPage(accept))
      this.pages.show(reply, context, {
        view: 'docs/problem',
        texts: problemTexts,
        title: () => problem.title,
        data: { problem },
        storable: true,
      });
    else sendJson(reply, problem);
  }
}

function sendJson(reply: FastifyReply, body: object): void {
  void reply.header('vary', 'accept').send(body);
}
