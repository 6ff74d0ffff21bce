import { startService } from '#request-queue';
import { Env } from './env.js';
import { WebhooksModule } from './webhooks.module.js';

startService('webhooks', Env, (env, log) => WebhooksModule.with(env, log));
