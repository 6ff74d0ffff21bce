import { startService } from '#request-queue';
import { SocialModule } from './social.module.js';
import { Env } from './env.js';

startService('social', Env, (env, log) => SocialModule.with(env, log));
