import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { withMaximumPrice } from '#contracts';
import { GatewayEnv } from '../../env.js';
import { operationOf } from './operation-of.js';
import { parseRequest, storeParsedRequest } from './parsed-request.js';

/**
 * Validates a request before it is counted or handled. Operations without a scope are not
 * validated.
 */
@Injectable()
export class ValidationGuard implements CanActivate {
  private readonly bounded;

  constructor(env: GatewayEnv) {
    this.bounded = withMaximumPrice(env.MATERIAL_PRICE_MAX);
  }

  canActivate(context: ExecutionContext): boolean {
    const operation = operationOf(context);
    if (!operation || operation.scope === null) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    storeParsedRequest(request, parseRequest(operation, request, this.bounded));
    return true;
  }
}
