import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { Admission } from './admission/admission.js';
import { Authentication } from './authentication/authentication.js';
import { TokenCache } from './authentication/token-cache.js';
import { TokenGuard } from './authentication/token.guard.js';
import { TokenStrategy } from './authentication/token.strategy.js';
import { LargeBodies } from './bodies/large-bodies.js';
import { CachedReads } from './cached-responses/cached-reads.js';
import { CachedResponses } from './cached-responses/cached-responses.js';
import { GracefulShutdown } from './connections/graceful-shutdown.js';
import { OpenRequests } from './connections/open-requests.js';
import { HealthController } from './health.controller.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { RateLimiter } from './rate-limits/rate-limiter.js';
import { ValidationGuard } from './routing/validation.guard.js';
import { RouteCheck } from './routing/route-check.js';
import { RequestHooks } from './server/request-hooks.js';

/**
 * Processing of every request: connections, admission control, authentication, rate limits,
 * routing, errors.
 */
@Module({
  imports: [PassportModule, DiscoveryModule],
  controllers: [HealthController],
  providers: [
    // In this order: the token, the shape of the request, the rate limit
    { provide: APP_GUARD, useClass: TokenGuard },
    { provide: APP_GUARD, useClass: ValidationGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    Admission,
    Authentication,
    CachedReads,
    CachedResponses,
    GracefulShutdown,
    LargeBodies,
    OpenRequests,
    RateLimiter,
    RequestHooks,
    RouteCheck,
    TokenCache,
    TokenStrategy,
  ],
  exports: [Admission, Authentication, GracefulShutdown, LargeBodies, OpenRequests, RateLimiter],
})
export class EdgeModule {}
