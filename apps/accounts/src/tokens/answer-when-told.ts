import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { Database } from '#persistence';

const askEveryMs = 3;
const longestMs = 1_000;

/**
 * Answers a message that ends tokens when all gateways have been told, or after a second: whoever has heard that a token is
 * dead finds it dead. The relay takes a row out of the outbox after its notice was sent, usually within 20 ms.
 */
@Injectable()
export class AnswerWhenTold implements NestInterceptor {
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
    const end = Date.now() + longestMs;
    while (Date.now() < end) {
      const waiting = await this.database.query(
        `select from outbox where name = 'token.revoked' and occurred_at <= $1::timestamptz limit 1`,
        [clock!.now],
      );
      if (waiting.length === 0) return;
      await sleep(askEveryMs);
    }
  }
}
