import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operationOf } from '../routing/operation-of.js';
import { pageKey } from '../../site/pages/page.decorator.js';
import { publicKey } from '../routing/operation.decorator.js';
import { viewerOf } from './viewer.js';

/** The second line: no handler of an operation runs without a viewer, whatever happened to the hook before it. */
@Injectable()
export class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const isOpen = [publicKey, pageKey].some((key) => Reflect.getMetadata(key, handler) !== undefined);
    if (isOpen || operationOf(context)?.scope === null) return true;
    viewerOf(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}
