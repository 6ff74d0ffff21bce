import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operations } from '#contracts';
import { accessOf, audienceIn, operationIn } from '../routing/access.js';
import { viewerOf } from './viewer.js';

/** Second check: no handler of an operation runs without a viewer, even if the hook was skipped. */
@Injectable()
export class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context.getHandler());
    const operation = operationIn(access);
    const isOpen = access === 'public' || audienceIn(access) !== undefined;
    if (isOpen || (operation && operations[operation].scope === null)) return true;
    viewerOf(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}
