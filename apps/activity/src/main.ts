import { startService } from '#request-queue';
import { ActivityModule } from './activity.module.js';
import { Env } from './env.js';

startService('activity', Env, (env) => ActivityModule.with(env));
