import { startService } from '#request-queue';
import { ActivityModule } from './activity.module.js';
import { Env } from './env.js';

startService('activity', Env, (env, log) => ActivityModule.with(env, log));
