import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationName } from '#contracts';
import { credentialsOf } from '../authentication/viewer.js';
import { operationNameOf } from '../routing/operation-of.js';
import { RateLimiter } from './rate-limiter.js';

/**
 * Counts valid requests and rejects those above the rate limit of the user. Pages are counted by
 * their own guard, which knows the session.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const operation = operationNameOf(context);
    // Synchronous for operations without a limit, which are most
    return !operation || !this.limiter.limits(operation) || this.count(context, operation);
  }

  private async count(context: ExecutionContext, operation: OperationName): Promise<boolean> {
    const http = context.switchToHttp();
    const userId = credentialsOf(http.getRequest<FastifyRequest>()).user?.userId;
    if (userId !== undefined)
      void http.getResponse<FastifyReply>().headers(await this.limiter.check(operation, userId));
    return true;
  }
}
