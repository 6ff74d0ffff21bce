import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { AuthorizationFixture } from './authorization-table.js';
import { createSale } from '../support/back-office.js';
import { createEndpointFixture } from '../endpoints/endpoint-fixture.js';
import { newGrantedApplication, signedIn } from '../oauth/oauth-clients.js';
import { api, dataDir, eventually, newMaterial, operator } from '../support/shop.js';

interface Named {
  readonly name: string;
}

const newToken = async (user: string, scope = 'read write'): Promise<string> =>
  (await operator('token', 'create', '--user', user, '--scope', scope)).token;

/** Creates an expired token by setting its expiry in the database. */
async function expiredToken(user: string): Promise<string> {
  const token = await newToken(user);
  const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as { databaseUrl: string };
  const owner = new pg.Client(databaseUrl);
  await owner.connect();
  try {
    const { rowCount } = await owner.query('update accounts.access_tokens set expires_at = now() where hash = $1', [
      createHash('sha256').update(token).digest(),
    ]);
    if (rowCount !== 1) throw new Error('the token to expire does not exist');
  } finally {
    await owner.end();
  }
  return token;
}

/** Creates a token, uses it, so that it is cached as valid, and revokes it. */
async function revokedToken(user: string): Promise<string> {
  const token = await newToken(user);
  const { status } = await api('GET', '/user', { token });
  if (status !== 200) throw new Error(`the token to revoke was rejected before: ${status}`);
  // With `=`, because a token may start with a hyphen
  await operator('token', 'revoke', `--token=${token}`);
  await eventually(
    () => api('GET', '/user', { token }),
    (response) => response.status === 401,
  );
  return token;
}

/** Creates a token that a user grants to an application of another user. */
async function applicationToken(user: Named, developer: Named): Promise<string> {
  const [owner, person] = await Promise.all([signedIn(developer), signedIn(user)]);
  return (await newGrantedApplication(owner, person, 'read write')).token;
}

/** Creates the fixture of the endpoint tests, a token of each kind, and private resources. */
export async function createAuthorizationFixture(): Promise<AuthorizationFixture> {
  const fixture = await createEndpointFixture();
  const { me, other, items } = fixture;
  const itemId = items['can-badge'].id;
  const [{ material, products }, choice, revoked, expired, application, production] = await Promise.all([
    newMaterial(me, { title: 'Keepsake', products: [{ itemId }] }),
    api('POST', '/choices', { token: me.apiKey, body: { title: 'Secret', secret: true } }),
    revokedToken(me.name),
    expiredToken(me.name),
    applicationToken(me, other),
    newToken(other.name, 'production'),
    createSale({ user: me.name, percent: 10 }),
  ]);
  const favoriteProduct = fixture.mine.product;
  const placeFavorite = async (): Promise<number> => {
    const response = await api('POST', `/products/${favoriteProduct}/favorites`, {
      token: me.apiKey,
      body: { anonymous: true },
    });
    if (response.status !== 201) throw new Error(`the favorite was not created: ${response.status}`);
    return favoriteProduct;
  };
  await placeFavorite();
  await eventually(
    () => api('GET', '/activities', { token: me.apiKey }),
    ({ body }) => body.activities.length > 0,
  );
  return {
    ...fixture,
    tokens: {
      junk: 'x'.repeat(43),
      revoked,
      expired,
      'read-only': fixture.readOnlyToken,
      production,
      'other user': fixture.other.apiKey,
      owner: me.apiKey,
      application,
    },
    hidden: { material: material.id, product: products[0].id, choice: choice.body.choice.id },
    favoriteProduct,
    placeFavorite,
    newPublishedMaterial: async () => (await newMaterial(me, { products: [{ itemId, published: true }] })).material.id,
  };
}
