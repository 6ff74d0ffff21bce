import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';
import { Log } from '#observability';
import { ProblemFilter } from '../../edge/errors/problem.filter.js';
import { noteProblem, ProblemWriter } from '../../edge/errors/problem-writer.js';
import { wantsPage } from '../../edge/headers/accept.js';
import { PageRenderer } from './page-renderer.js';
import { SeeOther } from './see-other.js';
import { errorTexts } from './texts/error.js';
import { openedVisit, type PageContext, visitOf } from './page-context.js';
import { PageGuard } from './page.guard.js';

/** What programs call, whatever they say they accept. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const forPrograms = new RegExp(
  `^(?:/api/|${imagePath}/|/icons/|/health/|/problems(?:[/?]|$)|/oauth/(?:token|revoke|introspect)|/\\.well-known/)`,
);

/** Shows errors to people as pages; programs get problem documents. Redirects where a page cannot be shown. */
@Catch()
export class ErrorPageFilter extends ProblemFilter {
  constructor(
    writer: ProblemWriter,
    log: Log,
    private readonly pages: PageRenderer,
    private readonly visits: PageGuard,
  ) {
    super(writer, log);
  }

  protected override async respond(reply: FastifyReply, exception: unknown): Promise<void> {
    if (exception instanceof SeeOther) this.pages.seeOther(reply, exception.path);
    else if (isForPerson(reply.request)) await this.show(reply, exception);
    else await super.respond(reply, exception);
  }

  private async show(reply: FastifyReply, exception: unknown): Promise<void> {
    const error = this.asDomainError(exception, reply.request);
    const { status, code } = error.body();
    const visit = await this.visitOf(reply);
    noteProblem(reply, code);
    void reply.removeHeader('connection');
    void reply.headers(error.headers);
    this.pages.show(reply, visit, {
      view: 'error',
      texts: errorTexts,
      status,
      data: { status, code, requestId: reply.request.id },
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

/** Whether a person waits for the response. */
const isForPerson = ({ url, headers }: FastifyRequest): boolean => !forPrograms.test(url) && wantsPage(headers.accept);
