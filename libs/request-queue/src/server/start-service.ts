import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { z } from 'zod';
import { readEnvironmentOrExit, type serviceSettings } from '#config';
import type { ServiceName } from '#contracts';
import { createLog, type Log, NestLog, start } from '#observability';
import { warnOfPersistence } from '../connection/persistence-warning.js';
import { QueueProblemFilter } from './problem.filter.js';
import { QueueServer } from './queue-server.js';

type ServiceEnv = z.output<typeof serviceSettings>;

interface ServiceOptions<Env> {
  /**
   * Maximum of requests of one pop: 1 for handlers that compute, so that an idle replica gets the
   * next request.
   */
  readonly batch?: number;
  /** Returns false for a process that handles no requests and only consumes events. */
  readonly handlesRequests?: (env: Env) => boolean;
}

/**
 * Starts a service from its `main.ts`: reads its settings (the process exits with a list of invalid
 * ones), starts its module with the request queue, and drains on SIGTERM.
 *
 * @param shape schema of the settings, an extension of `serviceSettings`
 */
export function startService<Shape extends z.ZodType<ServiceEnv>>(
  service: ServiceName,
  shape: Shape,
  module: (env: z.output<Shape>, log: Log) => DynamicModule,
  { batch, handlesRequests = () => true }: ServiceOptions<z.output<Shape>> = {},
): void {
  const env = readEnvironmentOrExit(shape);
  const log = createLog({ app: service, level: env.LOG_LEVEL, format: env.LOG_FORMAT });
  const logger = new NestLog(log);

  start(log, { app: service, settings: env }, async (closeWith) => {
    void warnOfPersistence(env.REDIS_REQUESTS_URL, log);
    if (!handlesRequests(env)) {
      const context = await NestFactory.createApplicationContext(module(env, log), { logger });
      closeWith(() => context.close());
      return;
    }
    const strategy = new QueueServer({
      service,
      redisUrl: env.REDIS_REQUESTS_URL,
      slots: env.REQUEST_SLOTS,
      ...(batch !== undefined && { batch }),
      drainMs: env.DRAIN_MS,
      log,
    });
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(module(env, log), { strategy, logger });
    app.useGlobalFilters(new QueueProblemFilter(log));
    closeWith(() => app.close());
    await app.listen();
  });
}
