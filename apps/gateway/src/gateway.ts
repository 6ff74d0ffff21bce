import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Log, NestLog } from '#observability';
import type { GatewayEnv } from './env.js';
import { GatewayModule } from './gateway.module.js';
import { GracefulShutdown } from './edge/connections/graceful-shutdown.js';
import { type EdgeTimes, edgeTimes } from './edge/server/edge-times.js';
import { configureServer } from './edge/server/configure-server.js';
import { createAdapter } from './edge/server/create-adapter.js';
import { ProblemWriter } from './edge/errors/problem-writer.js';

/** Creates the gateway, ready to listen. */
export async function createGateway(
  env: GatewayEnv,
  log: Log,
  times: EdgeTimes = edgeTimes,
): Promise<NestFastifyApplication> {
  const problemWriter = new ProblemWriter(env.BASE_URL);
  const module = GatewayModule.with(env, log, problemWriter);
  const app = await NestFactory.create<NestFastifyApplication>(module, createAdapter(env, problemWriter, times), {
    logger: new NestLog(log),
    bodyParser: false,
  });
  await configureServer(app, times);
  return app;
}

/** Shuts the gateway down gracefully: accepted requests get a response. */
export async function closeGateway(app: NestFastifyApplication, { UNREADY_MS }: GatewayEnv): Promise<void> {
  await app.get(GracefulShutdown).shutDown(UNREADY_MS);
  await app.close();
}
