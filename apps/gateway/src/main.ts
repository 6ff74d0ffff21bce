import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeOnSignal, createLog, NestLog, start } from '#observability';
import { readEnv } from './env.js';
import { GatewayModule } from './gateway.module.js';
import { configureFastify, edgeAdapter } from './http/fastify.js';
import { ProblemWriter } from './http/problem-writer.js';

const env = readEnv();
const log = createLog({ app: 'gateway', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

start(log, async () => {
  const problemWriter = new ProblemWriter(env.BASE_URL);
  const module = GatewayModule.with(env, log, problemWriter);
  const app = await NestFactory.create<NestFastifyApplication>(module, edgeAdapter(problemWriter), {
    logger: new NestLog(log),
    bodyParser: false,
  });
  await configureFastify(app, log);
  await app.listen(env.PORT, env.HOST);
  closeOnSignal(log, () => app.close());
});
