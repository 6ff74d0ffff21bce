import 'reflect-metadata';
import { createLog, start } from '#observability';
import { warnOfPersistence } from '#request-queue';
import { readEnv } from './env.js';
import { closeGateway, createGateway } from './gateway.js';
import { listenBacklog } from './edge/connections/graceful-shutdown.js';
import { addressWarning } from './edge/connections/trusted-proxies.js';

const env = readEnv();
const log = createLog({ app: 'gateway', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

const warning = addressWarning(env);
if (warning !== undefined) log.warn(warning);

start(log, { app: 'gateway', settings: env }, async (closeWith) => {
  void warnOfPersistence(env.REDIS_REQUESTS_URL, log);
  const app = await createGateway(env, log);
  closeWith(() => closeGateway(app, env));
  await app.listen({ port: env.PORT, host: env.HOST, backlog: listenBacklog });
});
