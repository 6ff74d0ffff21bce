import { ConflictException, Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload } from '@nestjs/microservices';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { problems, type PayloadOf, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { handlerFor, ProblemFilter, QueueContext, QueueServer, RawReply, type QueueLog } from '../index.js';
import { silentLog } from '../queue-log.js';

export interface ReplicaOptions {
  readonly redisUrl: string;
  readonly slots?: number;
  readonly batch?: number;
  readonly queueLimit?: number;
  /** How long each handler waits. */
  readonly workMs?: number;
  /** What each handler waits for, in a replica of this process. */
  readonly until?: Promise<unknown>;
  /** File that gets a line for each executed write, before its reply is sent. */
  readonly journal?: string;
}

type Activity = Services['activity'];

/** Viewers whose question goes wrong in a certain way. */
export const troubles = {
  refused: -1,
  defect: -2,
  tooLarge: -3,
  fatal: -4,
  conflict: -5,
  headers: -6,
  tagged: -7,
} as const;

const Handles = handlerFor('activity');

function trouble(viewerId: number): RawReply | undefined {
  switch (viewerId) {
    case troubles.refused:
      throw new DomainError(problems['user.not-found'], 'Nobody has this number.', undefined, { 'x-why': 'test' });
    case troubles.defect:
      throw new Error('the password is swordfish');
    case troubles.tooLarge:
      return RawReply.json(JSON.stringify('x'.repeat(8_400_000)));
    case troubles.fatal:
      return process.exit(3);
    case troubles.conflict:
      throw new ConflictException('Somebody was faster.');
    case troubles.headers:
      return RawReply.json('{"unreads": 7}', { status: 203, headers: { etag: '"e"' } });
    case troubles.tagged:
      return RawReply.json('{"unreads": 7}', { headers: { etag: '"e"', 'x-next-offset': '20' } });
    default:
      return undefined;
  }
}

/** The messages of `activity` with a behaviour that tests can steer. */
function replicaController(options: Omit<ReplicaOptions, 'redisUrl'>) {
  @Controller()
  class ReplicaController {
    @Handles('health.check')
    health(): { status: 'ok' } {
      return { status: 'ok' };
    }

    /** A write: `viewerId` is its number. */
    @Handles('activities.list')
    async write(@Payload() payload: PayloadOf<Activity, 'activities.list'>): Promise<RawReply> {
      if (options.workMs) await sleep(options.workMs);
      await options.until;
      if (options.journal) appendFileSync(options.journal, `${payload.viewerId} ${process.pid}\n`);
      return RawReply.json(`{"activities":[],"by":${process.pid}}`);
    }

    @Handles('activities.unreads')
    async read(
      @Payload() payload: PayloadOf<Activity, 'activities.unreads'>,
      @Ctx() context: QueueContext,
    ): Promise<RawReply | { unreads: number }> {
      if (options.workMs) await sleep(options.workMs);
      return trouble(payload.viewerId) ?? { unreads: Math.round(context.remainingMs) };
    }
  }
  return ReplicaController;
}

/** A replica of `activity` in this process. */
export async function startReplicaHere(options: ReplicaOptions, log?: QueueLog) {
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
  app.useGlobalFilters(new ProblemFilter(log ?? silentLog));
  await app.listen();
  return { app, server };
}
