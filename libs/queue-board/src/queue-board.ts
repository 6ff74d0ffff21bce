import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { eventQueues, eventsOfBatch } from '#events';
import type { InternalPage } from '#observability';
import { allowedChanges } from './allowed-changes.js';
import { boardFolder } from './board-files.js';
import { BoardServer } from './board-server.js';

export interface QueueBoardOptions {
  readonly jobsUrl: string;
  /** As the queues have it. */
  readonly prefix?: string;
  /** Below which it is shown. */
  readonly path: string;
}

/** The second one is not in the types of the adapter, but in those of what it extends. */
const withoutRetriesOfDone = { allowRetries: true, allowCompletedRetries: false };

/** `favorite.placed × 3`: how a job of several events is called. */
function nameOf(job: { readonly name: string; readonly data: unknown }): string {
  const events = eventsOfBatch(job.data)?.length;
  return events === undefined ? job.name : `${job.name} × ${events}`;
}

/** Bull Board over the queues of all services. It has a connection of its own, which waits for nothing. */
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
    const queues = [...eventQueues(this.redis, prefix).values()].map((queue) => {
      // Told by what fails
      queue.on('error', () => undefined);
      const adapter = new BullMQAdapter(queue, withoutRetriesOfDone);
      adapter.setFormatter('name', nameOf);
      return adapter;
    });
    this.server = new BoardServer(path);
    createBullBoard({
      queues,
      serverAdapter: this.server,
      options: {
        uiBasePath: boardFolder(),
        uiConfig: { boardTitle: 'Queues', hideDocsLink: true },
        handlerHooks: { before: allowedChanges((said) => this.log.warn(`an operator: ${said}`)) },
      },
    });
  }

  answer(method: string, path: string, query: URLSearchParams): Promise<InternalPage> {
    return this.server.answer(method, path, query);
  }

  close(): void {
    this.redis.disconnect();
  }
}
