import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';
import { Log } from '#observability';
import { HttpProblemFilter } from '../../edge/errors/problem.filter.js';
import { setProblemCode, ProblemWriter } from '../../edge/errors/problem-writer.js';
import { wantsPage } from '../../edge/headers/accept.js';
import { GatewayEnv } from '../../env.js';
import { PageRenderer } from './page-renderer.js';
import { isSameOrigin, refererPathOf } from './request-source.js';
import { localPath, SeeOther } from './see-other.js';
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
    private readonly env: GatewayEnv,
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
    const context = await this.contextOf(reply, status);
    setProblemCode(reply, code);
    void reply.removeHeader('connection');
    void reply.headers(error.headers);
    this.pages.show(reply, context, {
      view: 'error',
      texts: errorTexts,
      status,
      data: { status, code, requestId: reply.request.id, back: this.pathBack(reply.request) },
      title: (words) => words.titles[code] ?? words.titles[status] ?? words.titles.other!,
    });
  }

  /**
   * Returns the path of the page whose form was submitted; undefined for other requests and unknown
   * pages. Reloading an error page would submit an expired form again.
   */
  private pathBack(request: FastifyRequest): string | undefined {
    const { BASE_URL } = this.env;
    if (request.method !== 'POST' || !isSameOrigin(request, BASE_URL)) return undefined;
    return localPath(refererPathOf(request, BASE_URL), '') || undefined;
  }

  /**
   * Returns the context of the request, as an anonymous user if the session cannot be checked. The
   * error may have occurred before the guard ran.
   */
  private async contextOf(reply: FastifyReply, status: number): Promise<PageContext> {
    const { request } = reply;
    try {
      const context = findPageContext(request) ?? (await this.guard.openContext(request, reply));
      // No further request while a service is unavailable
      if (status < 500) await this.guard.loadUnreads(context);
      return context;
    } catch (error) {
      this.log.debug({ err: error }, 'Session check failed, error page shown without user or notifications');
      return pageContextOf(request);
    }
  }
}

const wantsErrorPage = ({ url, headers }: FastifyRequest): boolean =>
  !programPaths.test(url) && wantsPage(headers.accept);
