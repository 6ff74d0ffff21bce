import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { GATEWAY_LOG, type GatewayLog } from '../../gateway-log.js';
import { ErrorPage } from '../../site/pages/error-page.js';
import { SeeOther } from '../../site/pages/see-other.js';
import { PageRenderer } from '../../site/pages/page-renderer.js';
import { methodsAt } from '../routing/methods.js';
import { ProblemWriter } from './problem-writer.js';

/** What the router and the body parser refuse, by the status that they say. */
const refusals: Readonly<Record<number, (request: FastifyRequest) => DomainError>> = {
  404: noRoute,
  415: () => new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.'),
};

/** The refusal of an address that no route has, or not with this method. */
export function noRoute(request: FastifyRequest): DomainError {
  const known = methodsAt(request.url);
  const methods = known.length > 0 ? known : pageMethodsAt(request);
  if (methods.length === 0) return new DomainError(problems['request.not-found'], 'There is nothing at this address.');
  const allow = methods.join(', ');
  return new DomainError(problems['request.method-not-allowed'], `Use ${allow}.`, undefined, { allow });
}

/** What an address without parameters may consist of. Anything else would be a pattern to the router, and a broken one throws. */
const plain = /^[\w./-]+$/;

/** The methods of a page whose address has no parameters. */
function pageMethodsAt({ server, url }: FastifyRequest): string[] {
  const [path = ''] = url.split('?');
  if (!plain.test(path)) return [];
  return (['GET', 'HEAD', 'POST'] as const).filter((method) => server.hasRoute({ method, url: path }));
}

function statusOf(exception: unknown): number {
  if (exception instanceof HttpException) return exception.getStatus();
  const status = (exception as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

/** The one place where a failure of the gateway becomes an answer. A defect is told to the log, not to the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(ProblemWriter) private readonly writer: ProblemWriter,
    @Inject(ErrorPage) private readonly errorPage: ErrorPage,
    @Inject(PageRenderer) private readonly pages: PageRenderer,
    @Inject(GATEWAY_LOG) private readonly log: GatewayLog,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (request.raw.socket.destroyed) {
      this.log.debug({ requestId: request.id }, 'the client has gone');
      return;
    }
    if (exception instanceof SeeOther) {
      this.pages.seeOther(reply, exception.path);
      return;
    }
    const error = this.asDomainError(exception, request);
    if (this.errorPage.isFor(request)) await this.errorPage.show(reply, error.body(), error.headers);
    else this.writer.write(reply, error.body(), error.headers);
  }

  private asDomainError(exception: unknown, request: FastifyRequest): DomainError {
    if (exception instanceof DomainError) return exception;
    const status = statusOf(exception);
    const refusal = refusals[status];
    if (refusal) return refusal(request);
    if (status >= 400 && status < 500)
      return new DomainError(problems['request.invalid'], 'The request cannot be read.');
    this.log.error({ err: exception, requestId: request.id }, 'request failed');
    return new DomainError(problems['service.failed'], 'Something went wrong on our side. Tell us the request id.');
  }
}
