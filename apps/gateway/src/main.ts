import 'reflect-metadata';
import { closeOnSignal, createLog, start } from '#observability';
import { warnOfPersistence } from '#request-queue';
import { readEnv } from './env.js';
import { createGateway } from './gateway.js';
import { proxyWarning } from './pages/trusted-proxies.js';

const env = readEnv();
const log = createLog({ app: 'gateway', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

const warning = proxyWarning(env.BASE_URL, env.TRUSTED_PROXIES);
if (warning !== undefined) log.warn(warning);

start(log, async () => {
  void warnOfPersistence(env.REDIS_REQUESTS_URL, log);
  const app = await createGateway(env, log);
  await app.listen(env.PORT, env.HOST);
  closeOnSignal(log, () => app.close());
});
