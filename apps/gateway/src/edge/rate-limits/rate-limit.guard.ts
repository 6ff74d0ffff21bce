import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OperationName, problems } from '#contracts';
import { DomainError } from '#kernel';
import { credentialsOf } from '../authentication/viewer.js';
import { operationNameOf } from '../routing/operation-of.js';
import { rateHeaders, RateLimiter } from './rate-limiter.js';

/** Counts valid requests and rejects those above the rate limit of the user. */
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
    const state = userId === undefined ? undefined : await this.limiter.count(operation, userId);
    if (!state) return true;
    void http.getResponse<FastifyReply>().headers(rateHeaders(state));
    if (!state.isExceeded) return true;
    const seconds = String(Math.max(1, Math.ceil((state.resetAt - Date.now()) / 1_000)));
    const { limit, periodSeconds } = state;
    const detail = `At most ${limit} of these requests are allowed in ${periodSeconds} seconds. Try again in ${seconds} seconds.`;
    throw new DomainError(problems['rate-limit.exceeded'], detail, undefined, { 'retry-after': seconds });
  }
}
