import { BaseRpcContext } from '@nestjs/microservices';
import { type CurrentCall } from '../current-call.js';

/** Context of a handler's request beside the payload: `@Ctx() context: QueueContext`. */
export class QueueContext extends BaseRpcContext<[call: CurrentCall, metadata: Readonly<Record<string, string>>]> {
  get call(): CurrentCall {
    return this.args[0];
  }

  /** Aborted at the deadline. */
  get signal(): AbortSignal {
    return this.call.signal;
  }

  /** Milliseconds until the deadline. */
  get remainingMs(): number {
    return this.call.remainingMs();
  }

  /** Returns the headers of the request, such as request id, trace context and caller. */
  getMetadata(): Readonly<Record<string, string>> {
    return this.args[1];
  }

  getPattern(): string {
    return this.call.pattern ?? '';
  }
}
