import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operationOf } from './operation-of.js';
import { keepCall, parseCall } from './parsed-call.js';

/** Checks the shape of a request before anything counts it or acts on it. */
@Injectable()
export class CallGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const operation = operationOf(context);
    if (!operation || operation.scope === null) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    keepCall(request, parseCall(operation, request));
    return true;
  }
}
