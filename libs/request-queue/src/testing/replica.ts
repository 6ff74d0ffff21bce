import { ConflictException, Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { problems, type PayloadOf, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { handlerFor, QueueProblemFilter, QueueContext, QueueServer, RawReply, type QueueLog } from '../index.js';
import { silentLog } from '../queue-log.js';

export interface ReplicaOptions {
  readonly redisUrl: string;
  readonly slots?: number;
  readonly batch?: number;
  readonly queueLimit?: number;
  /** Delay of each read and write. */
  readonly workMs?: number;
  /** Promise that each write awaits, in a replica of this process. */
  readonly until?: Promise<unknown>;
  /** File to which each executed write appends a line before its reply is sent. */
  readonly journal?: string;
}

type Activity = Services['activity'];

/** Viewers whose reads fail in a certain way or get a certain reply. */
export const specialViewers = {
  rejected: -1,
  defect: -2,
  tooLarge: -3,
  fatal: -4,
  conflict: -5,
  headers: -6,
  tagged: -7,
} as const;

const Handles = handlerFor('activity');

function specialReply(viewerId: number): RawReply | undefined {
  switch (viewerId) {
    case specialViewers.rejected:
      throw new DomainError(problems['user.not-found'], 'No user has this id.', undefined, { 'x-why': 'test' });
    case specialViewers.defect:
      throw new Error('the password is swordfish');
    case specialViewers.tooLarge:
      return RawReply.json(JSON.stringify('x'.repeat(8_400_000)));
    case specialViewers.fatal:
      return process.exit(3);
    case specialViewers.conflict:
      throw new ConflictException('Concurrent change.');
    case specialViewers.headers:
      return RawReply.json('{"unreads": 7}', { status: 203, headers: { etag: '"e"' } });
    case specialViewers.tagged:
      return RawReply.json('{"unreads": 7}', { headers: { etag: '"e"', 'x-next-offset': '20' } }).validWhile('any 7');
    default:
      return undefined;
  }
}

/** Returns a controller of the messages of `activity` whose behaviour tests control. */
function replicaController(options: Omit<ReplicaOptions, 'redisUrl'>) {
  @Controller()
  class ReplicaController {
    @Handles('health.check')
    health(): { status: 'ok' } {
      return { status: 'ok' };
    }

    /** Records a write; `viewerId` is its number. */
    @Handles('activities.list')
    async write(@Payload() payload: PayloadOf<Activity, 'activities.list'>): Promise<RawReply> {
      if (options.workMs) await sleep(options.workMs);
      await options.until;
      if (options.journal) appendFileSync(options.journal, `${payload.viewerId} ${process.pid}\n`);
      return RawReply.json(`{"activities":[],"by":${process.pid}}`);
    }

    @Handles('activities.subjects')
    subjects(): { subjects: [] } {
      return { subjects: [] };
    }

    @Handles('activities.unreads')
    async read(
      @Payload() payload: PayloadOf<Activity, 'activities.unreads'>,
      @Ctx() context: QueueContext,
    ): Promise<RawReply | { unreads: number }> {
      if (options.workMs) await sleep(options.workMs);
      return specialReply(payload.viewerId) ?? { unreads: Math.round(context.remainingMs) };
    }
  }
  return ReplicaController;
}

/** Starts a replica of `activity` in this process. */
export async function startLocalReplica(options: ReplicaOptions, log?: QueueLog) {
  const { redisUrl, slots, batch, queueLimit } = options;
  const server = new QueueServer({
    service: 'activity',
    redisUrl,
    ...(slots !== undefined && { slots }),
    ...(batch !== undefined && { batch }),
    ...(queueLimit !== undefined && { queueLimit }),
    ...(log && { log }),
  });
  @Module({ controllers: [replicaController(options)] })
  class ReplicaModule {}
  const app = await NestFactory.createMicroservice(ReplicaModule, { strategy: server, logger: false });
  app.useGlobalFilters(new QueueProblemFilter(log ?? silentLog));
  await app.listen();
  return { app, server };
}
