import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { OwnedWorld } from './authorization-table.js';
import { createSale } from '../support/back-office.js';
import { makeWorld } from '../endpoints/endpoint-world.js';
import { api, dataDir, eventually, newMaterial, operator } from '../support/shop.js';

const newToken = async (user: string, scope = 'read write'): Promise<string> =>
  (await operator('token', 'create', '--user', user, '--scope', scope)).token;

/** A token whose time is over: nothing but the clock could make it one, so its end is set by who owns the database. */
async function expiredToken(user: string): Promise<string> {
  const token = await newToken(user);
  const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as { databaseUrl: string };
  const owner = new pg.Client(databaseUrl);
  await owner.connect();
  try {
    const { rowCount } = await owner.query('update accounts.access_tokens set expires_at = now() where hash = $1', [
      createHash('sha256').update(token).digest(),
    ]);
    if (rowCount !== 1) throw new Error('the token to expire is not there');
  } finally {
    await owner.end();
  }
  return token;
}

/** A token that was good, and known to be good where answers are remembered. */
async function revokedToken(user: string): Promise<string> {
  const token = await newToken(user);
  const { status } = await api('GET', '/user', { token });
  if (status !== 200) throw new Error(`the token to revoke was refused before: ${status}`);
  // In one word: a token may begin with a hyphen
  await operator('token', 'revoke', `--token=${token}`);
  await eventually(
    () => api('GET', '/user', { token }),
    (answer) => answer.status === 401,
  );
  return token;
}

/** The world of the endpoints, with tokens of every kind, and with things that only their owner may see. */
export async function makeOwnedWorld(): Promise<OwnedWorld> {
  const world = await makeWorld();
  const { me, items } = world;
  const itemId = items['can-badge'].id;
  const [{ material, products }, choice, revoked, expired] = await Promise.all([
    newMaterial(me, { title: 'Keepsake', products: [{ itemId }] }),
    api('POST', '/choices', { token: me.apiKey, body: { title: 'Secret', secret: true } }),
    revokedToken(me.name),
    expiredToken(me.name),
    createSale({ user: me.name, percent: 10 }),
  ]);
  const favored = world.mine.product;
  const favoring = await api('POST', `/products/${favored}/favorites`, { token: me.apiKey, body: { anonymous: true } });
  if (favoring.status !== 201) throw new Error(`no favorite was made: ${favoring.status}`);
  await eventually(
    () => api('GET', '/activities', { token: me.apiKey }),
    ({ body }) => body.activities.length > 0,
  );
  return {
    ...world,
    tokens: {
      junk: 'x'.repeat(43),
      revoked,
      expired,
      'read-only': world.readOnlyToken,
      'other user': world.other.apiKey,
      owner: me.apiKey,
    },
    hidden: { material: material.id, product: products[0].id, choice: choice.body.choice.id },
    favored,
    newPublishedMaterial: async () => (await newMaterial(me, { products: [{ itemId, published: true }] })).material.id,
  };
}
