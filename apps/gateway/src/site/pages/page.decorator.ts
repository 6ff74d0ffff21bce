import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessBy, type Audience } from '../../edge/routing/access.js';
import { pageContextOf } from './page-context.js';

/** Marks a handler as a page: it has a page context, and its POST requires a valid CSRF token. */
export const Page = (audience: Audience = 'everybody'): MethodDecorator => AccessBy({ page: audience });

const preservedFieldsKey = 'storefront:preserved-fields';

/**
 * Declares the fields of a form that are shown again after the form or the session had expired. The
 * form is at the path of its handler; its page takes the values from `draft` of its context.
 * Passwords, confirmations and hidden keys must not be among the fields.
 *
 * @param names names of the fields; one that ends with a hyphen is a prefix
 */
export const PreservesFields = (...names: readonly string[]): MethodDecorator => SetMetadata(preservedFieldsKey, names);

/** Returns the fields that a handler preserves; undefined for a handler that is no form. */
export const preservedFieldsOf = (handler: object): readonly string[] | undefined =>
  Reflect.getMetadata(preservedFieldsKey, handler) as readonly string[] | undefined;

/** Injects the page context: `show(@CurrentPage() context: PageContext)`. */
export const CurrentPage = createParamDecorator((_: unknown, context: ExecutionContext) =>
  pageContextOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
