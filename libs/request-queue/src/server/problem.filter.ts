import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { of, type Observable } from 'rxjs';
import { type ProblemReply, problemReplyFor } from './problem-reply.js';
import { QueueContext } from './queue-context.js';
import { type QueueLog } from '../queue-log.js';

/**
 * Global filter of every service, `app.useGlobalFilters(new QueueProblemFilter(log))`. Converts
 * errors to problem replies with `problemReplyFor`; log lines contain the request id.
 */
@Catch()
export class QueueProblemFilter implements ExceptionFilter {
  constructor(private readonly log: QueueLog) {}

  catch(error: unknown, host: ArgumentsHost): Observable<ProblemReply> {
    const context: unknown = host.switchToRpc().getContext();
    const fields =
      context instanceof QueueContext ? { requestId: context.call.requestId, pattern: context.getPattern() } : {};
    return of(problemReplyFor(error, this.log, fields));
  }
}
