import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#kernel';
import { problems, type Scope } from '#contracts';
import { operationOf } from '../operations/operation-of.js';
import { publicKey } from '../operations/operation.decorator.js';
import { type Credentials, credentialsOf, viewerOf } from './viewer.js';

const refuse = (
  code: 'token.missing' | 'token.invalid' | 'token.insufficient-scope',
  detail: string,
  challenge: string,
) => new DomainError(problems[code], detail, undefined, { 'www-authenticate': challenge });

/** Every operation needs `read`; those that write need `write` in addition. */
const needed = (scope: Scope): readonly Scope[] => (scope === 'write' ? ['read', 'write'] : ['read']);

/**
 * Lets a request pass when its token has the scopes of the operation. A missing scope is 401, as the specification
 * says, not 403.
 */
@Injectable()
export class TokenGuard extends AuthGuard('bearer') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (Reflect.getMetadata(publicKey, context.getHandler())) return true;
    await super.canActivate(context);
    const { scopes } = viewerOf(context.switchToHttp().getRequest<FastifyRequest>());
    const missing = needed(operationOf(context).scope).filter((scope) => !scopes.includes(scope));
    if (missing.length === 0) return true;
    const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}"`;
    throw refuse('token.insufficient-scope', `The access token lacks the scope ${missing.join(' ')}.`, challenge);
  }

  override getRequest(context: ExecutionContext): Credentials {
    return credentialsOf(context.switchToHttp().getRequest<FastifyRequest>());
  }

  override handleRequest<User>(error: unknown, viewer: User | false, _: unknown, context: ExecutionContext): User {
    if (error) throw error as Error;
    if (viewer) return viewer;
    if (!/^bearer /i.test(this.getRequest(context).headers.authorization ?? ''))
      throw refuse('token.missing', 'Send an access token in the header Authorization: Bearer <token>.', 'Bearer');
    throw refuse('token.invalid', 'The access token is unknown, revoked or expired.', 'Bearer error="invalid_token"');
  }
}
