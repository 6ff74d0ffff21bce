import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions } from '@nestjs/microservices';
import { readEnvironment } from '#config';
import { closeOnSignal, createLog, NestLog, start } from '#observability';
import { ProblemFilter, QueueServer } from '#request-queue';
import { AccountsModule } from './accounts.module.js';
import { Env } from './env.js';

const env = readEnvironment(Env);
const log = createLog({ app: 'accounts', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

start(log, async () => {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(AccountsModule.with(env), {
    strategy: new QueueServer({
      service: 'accounts',
      redisUrl: env.REDIS_REQUESTS_URL,
      slots: env.REQUEST_SLOTS,
      drainMs: env.DRAIN_MS,
      log,
    }),
    logger: new NestLog(log),
  });
  app.useGlobalFilters(new ProblemFilter(log));
  closeOnSignal(log, () => app.close());
  await app.listen();
});
