import { startService } from '#request-queue';
import { CatalogModule } from './catalog.module.js';
import { Env } from './env.js';

startService('catalog', Env, (env, log) => CatalogModule.with(env, log));
