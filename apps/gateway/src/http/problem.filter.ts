import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { problems } from '#contracts';
import { GATEWAY_LOG, type GatewayLog } from '../gateway-log.js';
import { ProblemWriter } from './problem-writer.js';
import { methodsAt } from './methods.js';

const bodyErrors: Record<string, () => DomainError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new DomainError(problems['request.too-large'], 'The body is over the limit.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new DomainError(problems['request.invalid'], 'The body does not have the announced length.'),
};

/** The one place where a failure of the gateway becomes an answer. A defect is told to the log, not to the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(ProblemWriter) private readonly writer: ProblemWriter,
    @Inject(GATEWAY_LOG) private readonly log: GatewayLog,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = this.asDomainError(exception, request);
    this.writer.write(reply, error.body(), error.headers);
  }

  private asDomainError(exception: unknown, request: FastifyRequest): DomainError {
    if (exception instanceof DomainError) return exception;
    const code = (exception as { code?: unknown } | null)?.code;
    const known = typeof code === 'string' ? bodyErrors[code] : undefined;
    if (known) return known();
    if (exception instanceof HttpException && exception.getStatus() === 404) return this.noRoute(request);
    const status = (exception as { statusCode?: unknown } | null)?.statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500)
      return new DomainError(problems['request.invalid'], 'The request cannot be read.');
    this.log.error({ err: exception, requestId: request.id }, 'request failed');
    return new DomainError(problems['service.failed'], 'Something went wrong on our side. Tell us the request id.');
  }

  private noRoute(request: FastifyRequest): DomainError {
    const methods = methodsAt(request.url);
    if (methods.length === 0)
      return new DomainError(problems['request.not-found'], 'There is nothing at this address.');
    const allow = methods.join(', ');
    return new DomainError(problems['request.method-not-allowed'], `Use ${allow}.`, undefined, { allow });
  }
}
