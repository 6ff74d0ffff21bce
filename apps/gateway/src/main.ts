import 'reflect-metadata';
import { closeOnSignal, createLog, start } from '#observability';
import { readEnv } from './env.js';
import { createGateway } from './gateway.js';

const env = readEnv();
const log = createLog({ app: 'gateway', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

start(log, async () => {
  const app = await createGateway(env, log);
  await app.listen(env.PORT, env.HOST);
  closeOnSignal(log, () => app.close());
});
