import { HttpException } from '@nestjs/common';
import { z } from 'zod';
import { problems } from '#contracts';
import { DomainError, type FieldError, type ProblemKind } from '#kernel';
import { type QueueLog } from '../queue-log.js';
import { type ReplyHeaders } from '../wire/raw-reply.js';

/** Reply of a problem. The body is a problem document without the members that the edge adds. */
export class ProblemReply {
  readonly body: Buffer;

  constructor(
    readonly status: number,
    body: object,
    readonly headers: ReplyHeaders = {},
  ) {
    this.body = Buffer.from(JSON.stringify(body));
  }

  static of(error: DomainError): ProblemReply {
    return new ProblemReply(error.status, error.body(), error.headers);
  }
}

export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));

const serviceFailed = new DomainError(problems['service.failed'], 'The failure was logged.');

const kindOfStatus = (status: number): ProblemKind => {
  if (status === 404) return problems['request.not-found'];
  if (status === 413) return problems['request.too-large'];
  if (status === 503) return problems['service.unavailable'];
  if (status === 504) return problems['service.no-answer'];
  return { ...problems['request.invalid'], status };
};

/**
 * Returns the reply for an error that a handler throws. A `DomainError` contains its problem. A
 * `ZodError` is invalid input that the handler has parsed (400). An `HttpException` of Nest retains
 * its status and message, except for 500 to 502. Any other error is a defect: it is logged, and the
 * reply is 500 without its message.
 */
export function problemReplyFor(error: unknown, log: QueueLog, fields: object): ProblemReply {
  if (error instanceof DomainError) return ProblemReply.of(error);
  if (error instanceof z.ZodError) {
    log.warn({ ...fields, err: error }, 'Handler rejected its input, replied with 400');
    return ProblemReply.of(
      new DomainError(problems['request.invalid'], 'The request does not match its schema.', fieldErrors(error)),
    );
  }
  if (error instanceof HttpException && (error.getStatus() < 500 || error.getStatus() > 502)) {
    return ProblemReply.of(new DomainError(kindOfStatus(error.getStatus()), error.message));
  }
  log.error({ ...fields, err: error }, 'Handler failed, replied with 500');
  return ProblemReply.of(serviceFailed);
}
