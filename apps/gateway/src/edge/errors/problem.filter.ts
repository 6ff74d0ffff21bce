import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Log } from '#observability';
import { noRoute } from '../routing/no-route.js';
import { ProblemWriter } from './problem-writer.js';

/** Problems for errors of the router and the body parser, by status. */
const frameworkErrors: Readonly<Record<number, (request: FastifyRequest) => DomainError>> = {
  404: noRoute,
  415: () => new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.'),
};

function statusOf(exception: unknown): number {
  if (exception instanceof HttpException) return exception.getStatus();
  const status = (exception as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

/**
 * Converts every error of the gateway into a response. Defects are logged and not shown to clients.
 */
@Catch()
export class HttpProblemFilter implements ExceptionFilter {
  constructor(
    private readonly writer: ProblemWriter,
    protected readonly log: Log,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (request.raw.socket.destroyed) {
      this.log.debug({ requestId: request.id }, 'client disconnected before the response');
      return;
    }
    await this.respond(reply, exception);
  }

  protected respond(reply: FastifyReply, exception: unknown): void | Promise<void> {
    const error = this.asDomainError(exception, reply.request);
    this.writer.write(reply, error.body(), error.headers);
  }

  protected asDomainError(exception: unknown, request: FastifyRequest): DomainError {
    if (exception instanceof DomainError) return exception;
    const status = statusOf(exception);
    const frameworkError = frameworkErrors[status];
    if (frameworkError) return frameworkError(request);
    if (status >= 400 && status < 500)
      return new DomainError(problems['request.invalid'], 'The request cannot be parsed.');
    this.log.error({ err: exception, requestId: request.id }, 'request failed');
    return new DomainError(problems['service.failed'], 'Internal error. Report the request ID.');
  }
}
