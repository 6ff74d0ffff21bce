import { startService } from '#request-queue';
import { AccountsModule } from './accounts.module.js';
import { Env } from './env.js';

startService('accounts', Env, (env, log) => AccountsModule.with(env, log));
