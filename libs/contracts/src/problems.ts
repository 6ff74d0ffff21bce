/**
 * HTTP status and title of every error of the service. A code is `noun.reason` and a stable
 * contract: it never changes.
 */
const table = {
  'request.invalid': [400, 'Request validation failed'],
  'request.body-not-json': [400, 'Request body is not valid JSON'],
  'request.not-found': [404, 'Path not found'],
  'request.method-not-allowed': [405, 'Method not allowed'],
  'request.operator-only': [403, 'Operator access required'],
  'request.too-large': [413, 'Request body too large'],
  'request.range-not-satisfiable': [416, 'Range not satisfiable'],
  'request.headers-too-large': [431, 'Request headers too large'],
  'request.timed-out': [408, 'Request timed out'],
  'request.unsupported-media-type': [415, 'Unsupported media type'],
  'token.missing': [401, 'Access token missing'],
  'token.invalid': [401, 'Access token invalid'],
  'token.insufficient-scope': [401, 'Access token scope insufficient'],
  'rate-limit.exceeded': [429, 'Rate limit exceeded'],
  'idempotency-key.reused': [409, 'Idempotency key reused for a different request'],
  'idempotency-key.in-progress': [409, 'Request with this idempotency key in progress'],
  'idempotency-key.too-many': [422, 'Idempotency key limit exceeded'],
  'user.not-found': [404, 'User not found'],
  'user.name-taken': [409, 'User name already taken'],
  'user.email-taken': [409, 'Email address already in use'],
  'user.name-reserved': [422, 'User name reserved'],
  'user.name-differs': [422, 'User name does not match'],
  'sign-in.refused': [422, 'User name or password incorrect'],
  'sign-in.too-many': [429, 'Too many sign-in attempts'],
  'sign-in.too-old': [422, 'Recent sign-in required'],
  'password.wrong': [422, 'Password incorrect'],
  'password.easy-to-guess': [422, 'Password too easy to guess'],
  'form.not-ours': [403, 'CSRF token invalid'],
  'application.not-found': [404, 'Application not found'],
  'application.too-many': [422, 'Application limit reached'],
  'application.no-secret': [422, 'Application has no client secret'],
  'redirect-uri.invalid': [422, 'Redirect URI invalid'],
  'identity.not-found': [404, 'Identity not found'],
  'identity.provider-unknown': [404, 'Identity provider not found'],
  'identity.provider-away': [503, 'Identity provider unavailable'],
  'identity.refused': [422, 'Identity not confirmed by the provider'],
  'identity.expired': [422, 'Sign-in attempt expired'],
  'identity.taken': [409, 'Identity already linked to another user'],
  'identity.last': [422, 'Last sign-in method cannot be removed'],
  'item.not-found': [422, 'Item not found'],
  'item.embroidery': [422, 'Embroidery items not supported'],
  'item-variant.not-of-item': [422, 'Variant does not belong to the item'],
  'item-variant.not-standard-t-shirt': [422, 'Variant is not a standard T-shirt'],
  'item-variant.disabled': [422, 'Variant not available'],
  'print-place.not-of-item': [422, 'Print place not available for the item'],
  'resize-mode.not-allowed': [422, 'Resize mode not allowed for the item'],
  'product.duplicate-item': [422, 'Item listed more than once'],
  'product.not-found': [404, 'Product not found'],
  'material.not-found': [404, 'Material not found'],
  'material.not-owned': [403, 'Material owned by another user'],
  'text.blank': [422, 'Text is blank'],
  'text.not-printable': [422, 'Text contains unprintable characters'],
  'choice.not-found': [404, 'Choice not found'],
  'choice.not-owned': [403, 'Choice owned by another user'],
  'choice.too-many': [422, 'Choice limit reached'],
  'choice.full': [422, 'Choice product limit reached'],
  'favorite.not-found': [404, 'Favorite not found'],
  'sale.not-found': [404, 'Sale not found'],
  'sale.invalid': [422, 'Sale invalid'],
  'banner.not-found': [404, 'Banner not found'],
  'promotion.not-found': [404, 'Promotion not found'],
  'texture.not-fetched': [422, 'Image download failed'],
  'texture.address-refused': [422, 'Image URL not allowed'],
  'texture.not-decoded': [422, 'Image could not be decoded'],
  'texture.unsupported-format': [422, 'Image format not supported'],
  'texture.empty': [422, 'Image is empty'],
  'texture.too-large': [422, 'Image too large'],
  'texture.quota-exceeded': [422, 'Image storage quota exceeded'],
  'picture.not-found': [404, 'Image not found'],
  'oembed.format-not-supported': [501, 'Response format not supported'],
  'catalog.invalid': [422, 'Catalog files invalid'],
  'service.overloaded': [503, 'Service overloaded'],
  'service.unavailable': [503, 'Service unavailable'],
  'service.no-answer': [504, 'Service timed out'],
  'service.failed': [500, 'Internal server error'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof table;

export interface Problem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
}

/** Every error as an object: `new DomainError(problems['product.not-found'], ...)`. */
export const problems = Object.fromEntries(
  Object.entries(table).map(([code, [status, title]]) => [code, { code, status, title }]),
) as Record<ProblemCode, Problem>;
