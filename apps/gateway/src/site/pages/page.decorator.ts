import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { visitOf } from './page-context.js';

export const pageKey = 'storefront:page';

/** Who may see a page. Members are those who are signed in; everybody else is asked to sign in first. */
export type Audience = 'everybody' | 'members';

/** Marks a handler as a page for people: it has a visit, and what is posted to it must come from our own form. */
export const Page = (audience: Audience = 'everybody'): MethodDecorator => SetMetadata(pageKey, audience);

/** Who is looking at the page: `show(@CurrentPage() visit: PageContext)`. */
export const CurrentPage = createParamDecorator((_: unknown, context: ExecutionContext) =>
  visitOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
