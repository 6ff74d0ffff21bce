import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { Database } from '#persistence';

const checkIntervalMs = 3;
/**
 * Number of checks instead of a timeout. They take a second, and longer on a busy machine or after
 * a blocked event loop, which delays the relay too.
 */
const maxChecks = 200;

/**
 * Interceptor of messages that revoke tokens: replies when the revocations have been broadcast to
 * all gateways, or after `maxChecks`. A client that receives the response then finds the token
 * invalid. The relay deletes a row of the outbox after its broadcast, usually within 20 ms.
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
    // Text, because a Date would lose the microseconds
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
