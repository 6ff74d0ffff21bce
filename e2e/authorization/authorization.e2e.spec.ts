import { operations } from '#contracts';
import {
  authorization,
  expected,
  identities,
  type Identity,
  type AuthorizationFixture,
} from './authorization-table.js';
import { createAuthorizationFixture } from './authorization-fixture.js';
import { addressOf, operationNames } from '../endpoints/endpoint-checks.js';
import type { RequestParts } from '../endpoints/endpoint-table.js';
import { call } from '../support/shop.js';

let fixture: AuthorizationFixture;
beforeAll(async () => {
  fixture = await createAuthorizationFixture();
});

const tokenOf = (identity: Identity): { token?: string } =>
  identity === 'no token' ? {} : { token: fixture.tokens[identity] };

/**
 * Returns the tests of an operation, one per caller. Their titles are the cells of the matrix:
 * `choices.update other user: 403 choice.not-owned`.
 */
const cellsOf = (name: (typeof operationNames)[number]) =>
  identities.map((identity) => {
    const { status, code } = expected(name, identity);
    return { identity, status, code, cell: code === undefined ? String(status) : `${status} ${code}` };
  });

describe.each(operationNames)('%s', (name) => {
  const { request: requestFor, shows } = authorization[name];
  // All callers but the application send the same request for the same resource
  let sharedRequest: Promise<RequestParts> | undefined;

  it.each(cellsOf(name))('$identity: $cell', async ({ identity, status, code }) => {
    if (identity === 'application') sharedRequest = undefined;
    const request = await (sharedRequest ??= Promise.resolve(requestFor(fixture)));
    const { body } = request;
    const { method } = operations[name];
    const response = await call(method, addressOf(name, request), {
      ...tokenOf(identity),
      ...(body !== undefined && { body }),
    });
    expect([response.status, response.body.code]).toEqual([status, code]);
    if (shows && code === undefined) expect(shows(response.body, fixture)).toBe(identity !== 'other user');
  });
});
