import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { eventQueues, eventsOfBatch, workQueues } from '#events';
import type { InternalResponse } from '#observability';
import { allowedChanges } from './allowed-changes.js';
import { boardFolder } from './board-files.js';
import { BoardServer } from './board-server.js';

export interface QueueBoardOptions {
  readonly jobsUrl: string;
  /** Key prefix of the queues. */
  readonly prefix?: string;
  /** Path prefix of the board. */
  readonly path: string;
}

/**
 * Options of the adapters, in a constant because their type lacks `allowCompletedRetries`, which
 * the base class reads.
 */
const withoutRetriesOfDone = { allowRetries: true, allowCompletedRetries: false };

/** Returns the displayed name of a job; for a batch of events `favorite.placed × 3`. */
function displayName(job: { readonly name: string; readonly data: unknown }): string {
  const events = eventsOfBatch(job.data)?.length;
  return events === undefined ? job.name : `${job.name} × ${events}`;
}

/** Bull Board over the queues of all services. Its Redis connection is separate and fails fast. */
export class QueueBoard {
  private readonly log = new Logger('QueueBoard');
  private readonly server: BoardServer;
  private readonly redis: Redis;

  constructor({ jobsUrl, prefix, path }: QueueBoardOptions) {
    this.redis = new Redis(jobsUrl, {
      ...redisTls(jobsUrl),
      maxRetriesPerRequest: 1,
      connectTimeout: 2_000,
      commandTimeout: 5_000,
    });
    this.redis.on('error', () => undefined);
    const all = [...eventQueues(this.redis, prefix).values(), ...workQueues(this.redis, prefix)];
    const queues = all.map((queue) => {
      // Every failed command reports the error itself
      queue.on('error', () => undefined);
      const adapter = new BullMQAdapter(queue, withoutRetriesOfDone);
      adapter.setFormatter('name', displayName);
      return adapter;
    });
    this.server = new BoardServer(path);
    createBullBoard({
      queues,
      serverAdapter: this.server,
      options: {
        uiBasePath: boardFolder(),
        uiConfig: { boardTitle: 'Queues', hideDocsLink: true },
        handlerHooks: { before: allowedChanges((change) => this.log.warn(`Operator action: ${change}`)) },
      },
    });
  }

  handle(method: string, path: string, query: URLSearchParams): Promise<InternalResponse> {
    return this.server.handle(method, path, query);
  }

  close(): void {
    this.redis.disconnect();
  }
}
