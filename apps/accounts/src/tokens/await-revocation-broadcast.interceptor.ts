import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { Database } from '#persistence';

const checkIntervalMs = 3;
/**
 * Limit in checks instead of time: 200 checks take about a second, and longer on a busy machine or
 * after a blocked event loop, which delay the relay, too.
 */
const maxChecks = 200;

/**
 * Interceptor of messages that revoke tokens. Delays the reply until the revocations have been
 * broadcast to all gateways, which cache tokens, so that the token is invalid when the client
 * receives the response; after `maxChecks`, replies anyway. The relay deletes a revocation from the
 * outbox after its broadcast, usually within 20 ms.
 */
@Injectable()
export class AwaitRevocationBroadcast implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      concatMap(async (reply: unknown) => {
        await this.awaitBroadcast();
        return reply;
      }),
    );
  }

  private async awaitBroadcast(): Promise<void> {
    // As text, because a Date would lose the microseconds
    const [clock] = await this.database.query<{ now: string }>('select clock_timestamp()::text as now');
    for (let check = 1; check <= maxChecks; check += 1) {
      const pending = await this.database.query(
        `select from outbox where name = 'token.revoked' and occurred_at <= $1::timestamptz limit 1`,
        [clock!.now],
      );
      if (pending.length === 0) return;
      await sleep(checkIntervalMs);
    }
  }
}
