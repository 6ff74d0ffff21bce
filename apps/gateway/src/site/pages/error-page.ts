import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';
import type { ProblemBody } from '#kernel';
import { GATEWAY_LOG, type GatewayLog } from '../../gateway-log.js';
import { noteProblem } from '../../edge/errors/problem-writer.js';
import { wantsPage } from '../../docs/problem-pages.js';
import { PageRenderer } from './page-renderer.js';
import { errorTexts } from './texts/error.js';
import { openedVisit, type PageContext, visitOf } from './page-context.js';
import { PageGuard } from './page.guard.js';

/** What programs call, whatever they say they accept. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const forPrograms = new RegExp(
  `^(?:/api/|${imagePath}/|/icons/|/health/|/problems(?:[/?]|$)|/oauth/(?:token|revoke|introspect)|/\\.well-known/)`,
);

/** Tells a person what a problem document tells a program. */
@Injectable()
export class ErrorPage {
  constructor(
    @Inject(PageRenderer) private readonly pages: PageRenderer,
    @Inject(PageGuard) private readonly visits: PageGuard,
    @Inject(GATEWAY_LOG) private readonly log: GatewayLog,
  ) {}

  /** Whether it is a person who waits for the answer. */
  isFor({ url, headers }: FastifyRequest): boolean {
    return !forPrograms.test(url) && wantsPage(headers.accept);
  }

  async show(
    reply: FastifyReply,
    { status, code }: ProblemBody,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const visit = await this.visitOf(reply);
    noteProblem(reply, code);
    void reply.removeHeader('connection');
    void reply.headers(headers);
    const data = { status, code, requestId: reply.request.id };
    this.pages.show(reply, visit, {
      ...{ view: 'error', texts: errorTexts, status, data },
      title: (words) => words.titles[code] ?? words.titles[status] ?? words.titles.other!,
    });
  }

  /** As far as it can be known: a refusal may come before anybody has looked who asks, or because nobody can look. */
  private async visitOf(reply: FastifyReply): Promise<PageContext> {
    const { request } = reply;
    try {
      return openedVisit(request) ?? (await this.visits.visit(request, reply));
    } catch (error) {
      this.log.debug({ err: error }, 'a page of a refusal cannot tell who asks');
      return visitOf(request);
    }
  }
}
