import { type DynamicModule, Module } from '@nestjs/common';
import type { Log } from '#observability';
import { ApiModule } from './api/api.module.js';
import { EdgeModule } from './edge/edge.module.js';
import type { ProblemWriter } from './edge/errors/problem-writer.js';
import type { GatewayEnv } from './env.js';
import { ImagesModule } from './images/images.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { PlatformModule } from './platform.module.js';
import { SchemaModule } from './schema/schema.module.js';
import { SiteModule } from './site/site.module.js';

/**
 * HTTP server of the storefront. The edge checks and limits every request and handles health
 * checks; the other modules contain all other handlers. The other modules import from the edge and
 * not from each other; the edge imports from none of them.
 */
@Module({ imports: [EdgeModule, ApiModule, ImagesModule, OAuthModule, SchemaModule, SiteModule] })
export class GatewayModule {
  static with(env: GatewayEnv, log: Log, problemWriter: ProblemWriter): DynamicModule {
    return { module: GatewayModule, imports: [PlatformModule.with(env, log, problemWriter)] };
  }
}
