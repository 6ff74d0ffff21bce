import { createPublicKey } from 'node:crypto';
import pg from 'pg';
import { limits, problems, type ReplyOf, type RequestOf, type Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import type { RawReply } from '#request-queue';
import { testDatabase, type TestDatabase } from '#testing';
import type { WebhooksEnv } from '../env.js';
import { EndpointEntity } from './endpoint.entity.js';
import { EndpointQueries } from './endpoint.queries.js';
import { EndpointRepository } from './endpoint.repository.js';
import { EndpointService } from './endpoint.service.js';
import { WebhookSecretCipher } from './webhook-secret.crypto.js';

type Messages = Services['webhooks'];
type SecretResponse = ReplyOf<Messages, 'webhook-endpoints.create'>;

const [owner, stranger, unknown] = [1, 2, 999];
const url = 'https://example.com/hook';
const cipher = new WebhookSecretCipher('a secret of at least thirty-two characters');

let db: TestDatabase;
let admin: pg.Client;
let service: EndpointService;
let queries: EndpointQueries;

/** Returns service and queries that encrypt with `of`. */
function startWith(of: WebhookSecretCipher): [EndpointService, EndpointQueries] {
  const reads = new EndpointQueries(db.database, of);
  const env = { WEBHOOK_ALLOWED_HOSTS: new Set<string>() } as unknown as WebhooksEnv;
  const [repository, keys] = [new EndpointRepository(db.database), new IdempotencyKeys(db.database)];
  return [new EndpointService(repository, reads, keys, of, env), reads];
}

beforeAll(async () => {
  db = await testDatabase('webhooks', [EndpointEntity]);
  admin = new pg.Client(db.ownerUrl);
  await admin.connect();
  [service, queries] = startWith(cipher);
});
afterAll(async () => {
  await admin.end();
  await db.close();
});
beforeEach(async () => {
  for (const table of ['webhook_endpoints', 'idempotency_keys', 'deleted_users'])
    await db.database.query(`delete from ${table}`);
});

const bodyOf = ({ body }: RawReply) => JSON.parse(body.toString()) as SecretResponse;
type CreateRequest = RequestOf<Messages, 'webhook-endpoints.create'>;
const request = (more: Partial<CreateRequest> = {}) => ({
  viewerId: owner,
  url,
  description: '',
  types: [],
  applicationId: null,
  signature: 'v1' as const,
  ...more,
});
const create = async (more: Partial<CreateRequest> = {}) => bodyOf(await service.create(request(more)));
const rotate = async (endpointId: number, viewerId = owner) =>
  bodyOf(await service.rotateSecret({ viewerId, endpointId }));
const storedSecrets = async (endpointId: number) => {
  const [row] = await db.database.query<Pick<EndpointEntity, 'secrets'>>(
    'select secrets from webhook_endpoints where id = $1',
    [endpointId],
  );
  return row!.secrets.map(({ encrypted }) => cipher.decrypt(encrypted, owner));
};
const notFound = { kind: problems['webhook-endpoint.not-found'] };

describe('a new endpoint', () => {
  it('is returned as it is read later', async () => {
    const { webhookEndpoint } = await create({ description: 'Orders', types: ['sale.recorded', 'sale.recorded'] });
    expect(webhookEndpoint).toEqual({
      id: expect.any(Number),
      url,
      description: 'Orders',
      types: ['sale.recorded'],
      applicationId: null,
      status: 'enabled',
      disabledReason: null,
      failingSince: null,
      publicKey: null,
      oldSecretExpiresAt: null,
      lastDelivery: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await queries.get({ viewerId: owner, endpointId: webhookEndpoint.id })).toEqual(webhookEndpoint);
    expect(await queries.list(owner)).toEqual([webhookEndpoint]);
  });

  it('has a secret that only this response contains', async () => {
    const { secret, webhookEndpoint } = await create();
    expect(secret).toMatch(/^whsec_/);
    expect(await storedSecrets(webhookEndpoint.id)).toEqual([secret]);
    const later = [await queries.list(owner), await queries.get({ viewerId: owner, endpointId: webhookEndpoint.id })];
    expect(JSON.stringify(later)).not.toContain('whsec_');
    for (const table of ['webhook_endpoints', 'idempotency_keys'])
      expect(JSON.stringify(await db.database.query(`select t::text from ${table} t`))).not.toContain('whsec_');
  });

  it('has an Ed25519 key on request', async () => {
    const { webhookEndpoint, secret } = await create({ signature: 'v1a' });
    const x = Buffer.from(webhookEndpoint.publicKey!.slice(5), 'base64').toString('base64url');
    expect(() => createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })).not.toThrow();
    expect(await storedSecrets(webhookEndpoint.id)).toEqual([secret, expect.stringMatching(/^whsk_/)]);
    expect(JSON.stringify(await queries.list(owner))).not.toContain('whsk_');
  });

  it('shares no key with other endpoints of its user', async () => {
    const all = [await create({ signature: 'v1a' }), await create({ signature: 'v1a' })];
    expect(new Set(all.flatMap(({ secret, webhookEndpoint }) => [secret, webhookEndpoint.publicKey])).size).toBe(4);
  });

  it.each(['https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/', 'http://example.com/', 'https://example.com:22/'])(
    'is rejected with the URL %s, with its path',
    async (internal) => {
      await expect(create({ url: internal })).rejects.toMatchObject({
        kind: problems['webhook-endpoint.url-not-allowed'],
        errors: [{ path: 'body.url' }],
      });
      expect(await queries.list(owner)).toEqual([]);
    },
  );

  it('is rejected beyond the maximum, also when many are created at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 25 }, () => create()));
    const rejected = results.filter((it): it is PromiseRejectedResult => it.status === 'rejected');
    expect(rejected).toHaveLength(25 - limits.webhookEndpointsPerUser);
    expect(rejected[0]!.reason).toMatchObject({ kind: problems['webhook-endpoint.too-many'] });
    expect(await queries.list(owner)).toHaveLength(limits.webhookEndpointsPerUser);
    await expect(create({ viewerId: stranger })).resolves.toBeDefined();
  });

  it('is created once with an idempotency key; its repetition returns the same secret', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await create({ idempotency });
    expect(await create({ idempotency })).toEqual(first);
    expect(first.secret).toMatch(/^whsec_/);
    expect(await queries.list(owner)).toHaveLength(1);
    // The stored response contains the secret encrypted
    const [stored] = await db.database.query<{ text: string }>(
      "select convert_from(body, 'UTF8') as text from idempotency_keys",
    );
    expect(stored!.text).not.toContain(first.secret);
  });

  it('is rejected for a deleted user', async () => {
    await db.database.query('insert into deleted_users (user_id) values ($1)', [owner]);
    await expect(create()).rejects.toMatchObject({ kind: problems['user.not-found'] });
  });

  describe('for an application', () => {
    let applicationId: number;
    beforeAll(async () => {
      const { rows } = await admin.query<{ id: string }>(
        `with owner as (
           insert into accounts.users (name, email) values ('hanako', 'h@example.com') returning id
         )
         insert into accounts.applications (owner_id, client_id, confidential, secret_hash, name, description, redirect_uris, scopes)
         select id, 'client', false, null, 'App', '', '{https://example.com/}', '{read}' from owner returning id, owner_id`,
      );
      applicationId = Number(rows[0]!.id);
    });

    it('belongs to the owner of the application', async () => {
      const { rows } = await admin.query<{ owner_id: string }>('select owner_id from accounts.applications');
      const viewerId = Number(rows[0]!.owner_id);
      const { webhookEndpoint } = await create({ viewerId, applicationId });
      expect(webhookEndpoint.applicationId).toBe(applicationId);
    });

    it('is rejected for an application of another user and for an unknown one', async () => {
      for (const id of [applicationId, unknown])
        await expect(create({ viewerId: 77, applicationId: id })).rejects.toMatchObject({
          kind: problems['application.not-found'],
          errors: [{ path: 'body.applicationId' }],
        });
    });
  });
});

describe('an endpoint', () => {
  it('is changed in the given fields', async () => {
    const { webhookEndpoint } = await create({ description: 'Orders', types: ['sale.recorded'] });
    const target = { viewerId: owner, endpointId: webhookEndpoint.id };
    const paused = await service.update({ ...target, status: 'paused' });
    expect(paused).toEqual({ ...webhookEndpoint, status: 'paused' });
    const moved = await service.update({ ...target, url: 'https://example.com/2', types: [], status: 'enabled' });
    expect(moved).toEqual({ ...webhookEndpoint, url: 'https://example.com/2', types: [] });
    expect(await service.update(target)).toEqual(moved);
  });

  it('is enabled again after the service has disabled it', async () => {
    const { webhookEndpoint } = await create();
    await db.database.query(
      `update webhook_endpoints set status = 'disabled', disabled_reason = 'failures', failures = 9,
         failing_since = now(), open_until = now()`,
    );
    const target = { viewerId: owner, endpointId: webhookEndpoint.id };
    expect(await queries.get(target)).toMatchObject({ status: 'disabled', disabledReason: 'failures' });
    expect(await service.update({ ...target, status: 'enabled' })).toEqual(webhookEndpoint);
  });

  it('is not changed to an internal address', async () => {
    const { webhookEndpoint } = await create();
    const request = { viewerId: owner, endpointId: webhookEndpoint.id, url: 'https://169.254.169.254/' };
    await expect(service.update(request)).rejects.toMatchObject({
      kind: problems['webhook-endpoint.url-not-allowed'],
    });
    expect(await queries.list(owner)).toEqual([webhookEndpoint]);
  });

  it('has a new secret after a rotation, and the old one for 24 hours', async () => {
    const { webhookEndpoint, secret } = await create({ signature: 'v1a' });
    const after = await rotate(webhookEndpoint.id);
    const [newSecret, newKey, oldSecret, oldKey] = await storedSecrets(webhookEndpoint.id);
    expect([newSecret, oldSecret]).toEqual([after.secret, secret]);
    expect(newKey).not.toBe(oldKey);
    expect(after.webhookEndpoint.publicKey).not.toBe(webhookEndpoint.publicKey);
    const hours = (Date.parse(after.webhookEndpoint.oldSecretExpiresAt!) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    await rotate(webhookEndpoint.id);
    expect(await storedSecrets(webhookEndpoint.id)).toHaveLength(4);
    expect(await storedSecrets(webhookEndpoint.id)).not.toContain(secret);
  });

  it('is deleted', async () => {
    const { webhookEndpoint } = await create();
    const target = { viewerId: owner, endpointId: webhookEndpoint.id };
    await service.delete(target);
    for (const attempt of [
      queries.get(target),
      service.update({ ...target, status: 'enabled' }),
      service.delete(target),
      rotate(target.endpointId),
    ])
      await expect(attempt).rejects.toMatchObject(notFound);
    expect(await queries.list(owner)).toEqual([]);
    for (let n = 1; n <= limits.webhookEndpointsPerUser; n += 1) await create();
    expect(await queries.list(owner)).toHaveLength(limits.webhookEndpointsPerUser);
  });

  it('does not exist for other users', async () => {
    const { webhookEndpoint } = await create();
    for (const [viewerId, endpointId] of [
      [stranger, webhookEndpoint.id],
      [owner, unknown],
    ] as const) {
      const target = { viewerId, endpointId };
      for (const attempt of [
        queries.get(target),
        service.update({ ...target, description: 'x' }),
        service.delete(target),
        rotate(endpointId, viewerId),
      ])
        await expect(attempt).rejects.toMatchObject(notFound);
    }
    expect(await queries.list(stranger)).toEqual([]);
    expect(await queries.list(owner)).toEqual([webhookEndpoint]);
  });
});

describe('after the loss of WEBHOOK_ENCRYPTION_SECRET, an endpoint', () => {
  const otherCipher = new WebhookSecretCipher('another secret of thirty-two characters');
  const failing = `update webhook_endpoints set failures = 9, failing_since = now(), open_until = now()`;
  let later: EndpointService;
  let laterQueries: EndpointQueries;
  beforeAll(() => {
    [later, laterQueries] = startWith(otherCipher);
  });

  it.each(['v1', 'v1a'] as const)('with the signature %s is shown unchanged', async (signature) => {
    const { webhookEndpoint } = await create({ signature });
    expect(webhookEndpoint.publicKey === null).toBe(signature === 'v1');
    expect(await laterQueries.get({ viewerId: owner, endpointId: webhookEndpoint.id })).toEqual(webhookEndpoint);
    expect(await laterQueries.list(owner)).toEqual([webhookEndpoint]);
  });

  it.each(['v1', 'v1a'] as const)('with the signature %s has only new secrets after a rotation', async (signature) => {
    const { webhookEndpoint } = await create({ signature });
    await rotate(webhookEndpoint.id);
    await db.database.query(failing);
    const reply = bodyOf(await later.rotateSecret({ viewerId: owner, endpointId: webhookEndpoint.id }));
    expect(reply.webhookEndpoint).toMatchObject({ oldSecretExpiresAt: null, failingSince: null });
    expect(reply.webhookEndpoint.publicKey === null).toBe(signature === 'v1');
    const [row] = await db.database.query<Pick<EndpointEntity, 'secrets'>>('select secrets from webhook_endpoints');
    const [first, ...more] = row!.secrets.map(({ encrypted }) => otherCipher.decrypt(encrypted, owner));
    expect(first).toBe(reply.secret);
    expect(more).toEqual(signature === 'v1' ? [] : [expect.stringMatching(/^whsk_/)]);
  });

  it('that an earlier version has stored retains its signature', async () => {
    const { webhookEndpoint } = await create({ signature: 'v1a' });
    const target = { viewerId: owner, endpointId: webhookEndpoint.id };
    await db.database.query("update webhook_endpoints set secrets = secrets #- '{1,publicKey}'");
    expect(await queries.get(target)).toEqual(webhookEndpoint);
    expect(await laterQueries.get(target)).toEqual({ ...webhookEndpoint, publicKey: null });
    const rotated = bodyOf(await later.rotateSecret(target)).webhookEndpoint;
    expect(rotated.publicKey).toMatch(/^whpk_/);
    expect(await queries.get(target)).toEqual(rotated);
  });
});

it('a rotation with a known secret does not reset the failures of the endpoint', async () => {
  const { webhookEndpoint } = await create();
  await db.database.query('update webhook_endpoints set failures = 9, failing_since = now()');
  await rotate(webhookEndpoint.id);
  expect(await db.database.query('select failures from webhook_endpoints')).toEqual([{ failures: 9 }]);
});
