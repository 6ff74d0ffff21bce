import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Log } from '#observability';
import { BroadcastListener, QueueClientModule } from '#request-queue';
import { BlobStore, openBlobStore } from '#storage';
import { shareOfResponses } from './edge/cached-responses/cached-responses.js';
import { ProblemWriter } from './edge/errors/problem-writer.js';
import { RateLimits } from './edge/rate-limits/rate-limits.js';
import { GatewayEnv } from './env.js';

/**
 * Global providers of the gateway: settings, log, error responses, rate limits, blob store, clients
 * of the services, broadcasts.
 */
@Global()
@Module({})
export class PlatformModule {
  static with(env: GatewayEnv, log: Log, problemWriter: ProblemWriter): DynamicModule {
    const requests = { redisUrl: env.REDIS_REQUESTS_URL, log };
    const cacheBytes = env.RESPONSE_CACHE_MB * 1024 ** 2 * (1 - shareOfResponses);
    return {
      module: PlatformModule,
      imports: [QueueClientModule.forApp({ app: 'gateway', cacheBytes, ...requests })],
      providers: [
        { provide: GatewayEnv, useValue: env },
        { provide: Log, useValue: log },
        { provide: ProblemWriter, useValue: problemWriter },
        { provide: RateLimits, useValue: env.RATE_LIMITS },
        { provide: BlobStore, useValue: openBlobStore(env.BLOB_STORE_URL, env) },
        { provide: BroadcastListener, useValue: new BroadcastListener(requests) },
      ],
      exports: [GatewayEnv, Log, ProblemWriter, RateLimits, BlobStore, BroadcastListener],
    };
  }
}
