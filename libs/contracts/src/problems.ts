/** HTTP status and title of every refusal the service knows. A code is `noun.reason` and is never changed. */
const table = {
  'request.invalid': [400, 'The request has the wrong shape'],
  'request.body-not-json': [400, 'The body is not JSON'],
  'request.not-found': [404, 'There is no such address'],
  'request.method-not-allowed': [405, 'The address does not know this method'],
  'request.too-large': [413, 'The body is too large'],
  'request.range-not-satisfiable': [416, 'There are no such bytes'],
  'request.headers-too-large': [431, 'The headers are too large'],
  'request.timed-out': [408, 'The request took too long to arrive'],
  'request.unsupported-media-type': [415, 'The content type is not supported'],
  'token.missing': [401, 'An access token is needed'],
  'token.invalid': [401, 'The access token is not valid'],
  'token.insufficient-scope': [401, 'The access token lacks a scope'],
  'rate-limit.exceeded': [429, 'Too many requests of this kind'],
  'idempotency-key.reused': [409, 'The key belongs to another request'],
  'idempotency-key.in-progress': [409, 'The first request with this key is still running'],
  'user.not-found': [404, 'There is no such user'],
  'user.name-taken': [409, 'The user name is taken'],
  'user.email-taken': [409, 'The e-mail address is taken'],
  'user.name-reserved': [422, 'The user name is reserved'],
  'item.not-found': [422, 'There is no such item'],
  'item.embroidery': [422, 'The item cannot be made through the API'],
  'item-variant.not-of-item': [422, 'The variant belongs to another item'],
  'item-variant.not-standard-t-shirt': [422, 'The variant is not one of the standard T-shirt'],
  'item-variant.disabled': [422, 'The variant cannot be ordered'],
  'print-place.not-of-item': [422, 'The item cannot be printed there'],
  'resize-mode.not-allowed': [422, 'The item does not allow this resize mode'],
  'product.duplicate-item': [422, 'An item may appear once'],
  'product.not-found': [404, 'There is no such product'],
  'material.not-found': [404, 'There is no such material'],
  'material.not-owned': [403, 'The material belongs to somebody else'],
  'text.blank': [422, 'The text has nothing to print'],
  'text.not-printable': [422, 'The text has characters that cannot be printed'],
  'choice.not-found': [404, 'There is no such choice'],
  'choice.not-owned': [403, 'The choice belongs to somebody else'],
  'choice.full': [422, 'The choice has no room for more products'],
  'favorite.not-found': [404, 'There is no such favorite'],
  'sale.not-found': [404, 'There is no such sale'],
  'sale.invalid': [422, 'The sale cannot be made'],
  'banner.not-found': [404, 'There is no such banner'],
  'promotion.not-found': [404, 'There is no such promotion'],
  'texture.not-fetched': [422, 'The picture cannot be fetched'],
  'texture.address-refused': [422, 'The address of the picture is not allowed'],
  'texture.not-decoded': [422, 'The picture cannot be read'],
  'texture.unsupported-format': [422, 'The picture format is not supported'],
  'texture.empty': [422, 'The picture is empty'],
  'texture.too-large': [422, 'The picture is too large'],
  'picture.not-found': [404, 'There is no such picture'],
  'catalog.invalid': [422, 'The catalogue files are not valid'],
  'service.overloaded': [503, 'The service is overloaded'],
  'service.unavailable': [503, 'A part of the service is down'],
  'service.no-answer': [504, 'No answer before the deadline'],
  'service.failed': [500, 'Something went wrong on our side'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof table;

export interface Problem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
}

/** Every refusal as an object: `new DomainError(problems['product.not-found'], ...)`. */
export const problems = Object.fromEntries(
  Object.entries(table).map(([code, [status, title]]) => [code, { code, status, title }]),
) as Record<ProblemCode, Problem>;
