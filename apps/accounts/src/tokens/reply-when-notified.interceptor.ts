import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { Database } from '#persistence';

const pauseMs = 3;
/** They take a second, and longer when the machine is busy or stands still, as the relay does then. */
const looks = 200;

/**
 * Answers a message that ends tokens when all gateways have been told, or after so many looks: whoever has heard that a
 * token is dead finds it dead. The relay takes a row out of the outbox after its notice was sent, usually within 20 ms.
 */
@Injectable()
export class ReplyWhenNotified implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      concatMap(async (answer: unknown) => {
        await this.told();
        return answer;
      }),
    );
  }

  private async told(): Promise<void> {
    // As text: a Date would lose the microseconds
    const [clock] = await this.database.query<{ now: string }>('select clock_timestamp()::text as now');
    for (let look = 1; look <= looks; look += 1) {
      const waiting = await this.database.query(
        `select from outbox where name = 'token.revoked' and occurred_at <= $1::timestamptz limit 1`,
        [clock!.now],
      );
      if (waiting.length === 0) return;
      await sleep(pauseMs);
    }
  }
}
