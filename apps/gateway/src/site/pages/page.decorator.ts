import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessBy, type Audience } from '../../edge/routing/access.js';
import { pageContextOf } from './page-context.js';

/** Marks a handler as a page: it has a page context, and its POST requires a valid CSRF token. */
export const Page = (audience: Audience = 'everybody'): MethodDecorator => AccessBy({ page: audience });

/** Injects the page context: `show(@CurrentPage() context: PageContext)`. */
export const CurrentPage = createParamDecorator((_: unknown, context: ExecutionContext) =>
  pageContextOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
