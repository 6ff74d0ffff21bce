import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessBy, type Audience } from '../../edge/routing/access.js';
import { visitOf } from './page-context.js';

/** Marks a handler as a page for people: it has a context, and forms that are posted to it must come from this site. */
export const Page = (audience: Audience = 'everybody'): MethodDecorator => AccessBy({ page: audience });

/** The context of the page: `show(@CurrentPage() visit: PageContext)`. */
export const CurrentPage = createParamDecorator((_: unknown, context: ExecutionContext) =>
  visitOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
