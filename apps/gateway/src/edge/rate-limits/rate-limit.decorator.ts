import { SetMetadata } from '@nestjs/common';
import type { LimitedOperationName } from '#contracts';

type Form = Readonly<Record<string, string>>;

/** The operation whose rate limit a page shares; a function if it depends on the submitted form. */
type SharedOperation = LimitedOperationName | ((form: Form) => LimitedOperationName);

/** Rate limit of the POST of a page. */
export type PageRateLimit =
  | { readonly operation: SharedOperation; readonly countedBy: 'guard' | 'form' }
  | { readonly notCountedBecause: string };

const pageRateLimitKey = 'storefront:page-rate-limit';
const declare = (limit: PageRateLimit): MethodDecorator => SetMetadata(pageRateLimitKey, limit);

/**
 * Declares that each submission to a page counts as a request of an operation of the API. Above the
 * limit, the user gets an error page.
 */
export const CountsAs = (operation: SharedOperation): MethodDecorator => declare({ operation, countedBy: 'guard' });

/**
 * Declares that each valid submission of a form counts as a request of an operation of the API.
 * Above the limit, `submit` returns an error, with which the form is shown again.
 */
export const FormCountsAs = (operation: LimitedOperationName): MethodDecorator =>
  declare({ operation, countedBy: 'form' });

/** Declares that the POST of a page shares no rate limit with the API, and why. */
export const NotCounted = (reason: string): MethodDecorator => declare({ notCountedBecause: reason });

/** Returns the rate limit that the handler of a page declares. */
export const pageRateLimitOf = (handler: object): PageRateLimit | undefined =>
  Reflect.getMetadata(pageRateLimitKey, handler) as PageRateLimit | undefined;
