import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';
import { Log } from '#observability';
import { HttpProblemFilter } from '../../edge/errors/problem.filter.js';
import { setProblemCode, ProblemWriter } from '../../edge/errors/problem-writer.js';
import { wantsPage } from '../../edge/headers/accept.js';
import { PageRenderer } from './page-renderer.js';
import { SeeOther } from './see-other.js';
import { errorTexts } from './texts/error.js';
import { findPageContext, type PageContext, pageContextOf } from './page-context.js';
import { PageGuard } from './page.guard.js';

/** Paths for programs: errors are problem documents, regardless of the `Accept` header. */
// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
export const programPaths = new RegExp(
  `^(?:/api/|${imagePath}/|/icons/|/health/|/problems(?:[/?]|$)|/oauth/(?:token|revoke|introspect)|/\\.well-known/)`,
);

/**
 * Responds to errors with an error page for browsers and a problem document for programs.
 * `SeeOther` becomes a redirect.
 */
@Catch()
export class ErrorPageFilter extends HttpProblemFilter {
  constructor(
    writer: ProblemWriter,
    log: Log,
    private readonly pages: PageRenderer,
    private readonly guard: PageGuard,
  ) {
    super(writer, log);
  }

  protected override async respond(reply: FastifyReply, exception: unknown): Promise<void> {
    if (exception instanceof SeeOther) this.pages.seeOther(reply, exception.path);
    else if (wantsErrorPage(reply.request)) await this.show(reply, exception);
    else await super.respond(reply, exception);
  }

  private async show(reply: FastifyReply, exception: unknown): Promise<void> {
    const error = this.asDomainError(exception, reply.request);
    const { status, code } = error.body();
    const context = await this.contextOf(reply);
    setProblemCode(reply, code);
    void reply.removeHeader('connection');
    void reply.headers(error.headers);
    this.pages.show(reply, context, {
      view: 'error',
      texts: errorTexts,
      status,
      data: { status, code, requestId: reply.request.id },
      title: (words) => words.titles[code] ?? words.titles[status] ?? words.titles.other!,
    });
  }

  /**
   * Returns the context of the request, as an anonymous user if the session cannot be checked. The
   * error may have occurred before the guard ran.
   */
  private async contextOf(reply: FastifyReply): Promise<PageContext> {
    const { request } = reply;
    try {
      return findPageContext(request) ?? (await this.guard.openContext(request, reply));
    } catch (error) {
      this.log.debug({ err: error }, 'Session check failed, error page shown without a user');
      return pageContextOf(request);
    }
  }
}

const wantsErrorPage = ({ url, headers }: FastifyRequest): boolean =>
  !programPaths.test(url) && wantsPage(headers.accept);
