import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { readEnvironment } from '#config';
import { closeOnSignal, createLog, NestLog, start } from '#observability';
import { ProblemFilter, QueueServer } from '#request-queue';
import { Env } from './env.js';
import { MaterialRenderingModule } from './material-rendering.module.js';

const env = readEnvironment(Env);
const log = createLog({ app: 'material-rendering', level: env.LOG_LEVEL, format: env.LOG_FORMAT });
const logger = new NestLog(log);
const app = MaterialRenderingModule.with(env, log);

/** Answers requests; the module works through events too, if the roles say so. */
async function answerRequests(): Promise<void> {
  const strategy = new QueueServer({
    service: 'material-rendering',
    redisUrl: env.REDIS_REQUESTS_URL,
    slots: env.REQUEST_SLOTS,
    // Drawing computes: what one replica has taken another one cannot draw
    batch: 1,
    drainMs: env.DRAIN_MS,
    log,
  });
  const server = await NestFactory.createMicroservice<MicroserviceOptions>(app, { strategy, logger });
  server.useGlobalFilters(new ProblemFilter(log));
  closeOnSignal(log, () => server.close());
  await server.listen();
}

/** Works through events only. */
async function workOnly(): Promise<void> {
  const context = await NestFactory.createApplicationContext(app, { logger });
  closeOnSignal(log, () => context.close());
}

start(log, env.RENDERING_ROLES.has('requests') ? answerRequests : workOnly);
