import { operations } from '#contracts';
import { authorization, expected, identities, type Identity, type OwnedWorld } from './authorization-table.js';
import { makeOwnedWorld } from './authorization-world.js';
import { addressOf, operationNames } from '../endpoints/endpoint-checks.js';
import type { Asked } from '../endpoints/endpoint-table.js';
import { call } from '../support/shop.js';

let world: OwnedWorld;
beforeAll(async () => {
  world = await makeOwnedWorld();
});

const tokenOf = (identity: Identity): { token?: string } =>
  identity === 'no token' ? {} : { token: world.tokens[identity] };

/** The name of a test is its cell of the matrix: `choices.update other user: 403 choice.not-owned`. */
const cellsOf = (name: (typeof operationNames)[number]) =>
  identities.map((identity) => {
    const { status, code } = expected(name, identity);
    return { identity, status, code, cell: code === undefined ? String(status) : `${status} ${code}` };
  });

describe.each(operationNames)('%s', (name) => {
  const { ask, shows } = authorization[name];
  // One request, about one thing, for all
  let asked: Promise<Asked> | undefined;

  it.each(cellsOf(name))('$identity: $cell', async ({ identity, status, code }) => {
    const request = await (asked ??= Promise.resolve(ask(world)));
    const { body } = request;
    const { method } = operations[name];
    const answer = await call(method, addressOf(name, request), {
      ...tokenOf(identity),
      ...(body !== undefined && { body }),
    });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (shows && code === undefined) expect(shows(answer.body, world)).toBe(identity !== 'other user');
  });
});
