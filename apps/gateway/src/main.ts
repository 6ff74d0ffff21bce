import 'reflect-metadata';
import { createLog, start } from '#observability';
import { warnOfPersistence } from '#request-queue';
import { readEnv } from './env.js';
import { closeGateway, createGateway } from './gateway.js';
import { addressWarning } from './edge/connections/trusted-proxies.js';

const env = readEnv();
const log = createLog({ app: 'gateway', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

const warning = addressWarning(env);
if (warning !== undefined) log.warn(warning);

start(log, { app: 'gateway', settings: env }, async (closeWith) => {
  void warnOfPersistence(env.REDIS_REQUESTS_URL, log);
  const app = await createGateway(env, log);
  closeWith(() => closeGateway(app, env));
  // Length of the accept queue, which fills while this process is busy. If the queue is full, the
  // kernel drops the SYN and the client retries after 1, 3 and 7 s: connecting took 5 s with Node's
  // default of 511, and 1.4 s with 4,096
  await app.listen({ port: env.PORT, host: env.HOST, backlog: 4_096 });
});
