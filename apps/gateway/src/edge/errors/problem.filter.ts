import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { Log } from '#observability';
import { noRoute } from '../routing/no-route.js';
import { ProblemWriter } from './problem-writer.js';

/** What the router and the body parser refuse, by the status that they say. */
const refusals: Readonly<Record<number, (request: FastifyRequest) => DomainError>> = {
  404: noRoute,
  415: () => new DomainError(problems['request.unsupported-media-type'], 'Send the body as application/json.'),
};

function statusOf(exception: unknown): number {
  if (exception instanceof HttpException) return exception.getStatus();
  const status = (exception as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

/** The one place where a failure of the gateway becomes an answer. A defect is told to the log, not to the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly writer: ProblemWriter,
    protected readonly log: Log,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (request.raw.socket.destroyed) {
      this.log.debug({ requestId: request.id }, 'the client has gone');
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
    const refusal = refusals[status];
    if (refusal) return refusal(request);
    if (status >= 400 && status < 500)
      return new DomainError(problems['request.invalid'], 'The request cannot be read.');
    this.log.error({ err: exception, requestId: request.id }, 'request failed');
    return new DomainError(problems['service.failed'], 'Something went wrong on our side. Tell us the request id.');
  }
}
