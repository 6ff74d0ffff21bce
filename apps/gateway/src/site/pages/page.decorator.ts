import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessBy, type Audience } from '../../edge/routing/access.js';
import { type FormValues, pageContextOf } from './page-context.js';

/** Marks a handler as a page: it has a page context, and its POST requires a valid CSRF token. */
export const Page = (audience: Audience = 'everybody'): MethodDecorator => AccessBy({ page: audience });

const preservedFieldsKey = 'storefront:preserved-fields';
const reopenedPathKey = 'storefront:reopened-path';

/**
 * Declares the fields of a form that are shown again after the form or the session had expired. The
 * form is at the path of its handler, or at that of `ReopensAt`; its page takes the values from
 * `draft` of its context.
 * Passwords, confirmations and hidden keys must not be among the fields.
 *
 * @param names names of the fields; one that ends with a hyphen is a prefix
 */
export const PreservesFields = (...names: readonly string[]): MethodDecorator => SetMetadata(preservedFieldsKey, names);

/** Returns the fields that a handler preserves; undefined for a handler that is no form. */
export const preservedFieldsOf = (handler: object): readonly string[] | undefined =>
  Reflect.getMetadata(preservedFieldsKey, handler) as readonly string[] | undefined;

type PathOfForm = (form: FormValues) => string;

/** Declares the path of the page that shows an expired form again, if it is not the handler's. */
export const ReopensAt = (pathOf: PathOfForm): MethodDecorator => SetMetadata(reopenedPathKey, pathOf);

/** Returns the path that a handler declares for an expired form; undefined without one. */
export const reopenedPathOf = (handler: object, form: FormValues): string | undefined =>
  (Reflect.getMetadata(reopenedPathKey, handler) as PathOfForm | undefined)?.(form);

/** Injects the page context: `show(@CurrentPage() context: PageContext)`. */
export const CurrentPage = createParamDecorator((_: unknown, context: ExecutionContext) =>
  pageContextOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
