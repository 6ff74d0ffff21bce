import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { jest } from '@jest/globals';
import { generateWebhookSecret, problems } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { disallowedUrls, internalHostNames, internalUrls, NameServer, testDatabase, type TestDatabase } from '#testing';
import { EndpointEntity } from '../endpoints/endpoint.entity.js';
import { EndpointQueries } from '../endpoints/endpoint.queries.js';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { WebhookSecretCipher } from '../endpoints/webhook-secret.crypto.js';
import type { WebhooksEnv } from '../env.js';
import { AttemptEntity } from './attempt.entity.js';
import { DeliveryEntity } from './delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { appendEvent, insertEndpoint } from './testing/rows.js';
import { WebhookClient } from './webhook.client.js';

/** In a public range. No test sends data there, see `withoutPublicNetwork`. */
const publicAddress = '2d00::1';
const isPublic = ({ address }: LookupAddress): boolean => [publicAddress, '8.8.8.8'].includes(address);

const internal = ['127.0.0.1', '::1'];
const rebinding = {
  'rebinding.test': [[publicAddress], internal],
  'alternating.test': [[publicAddress], internal, [publicAddress], internal],
  'joining.test': [[publicAddress], [publicAddress, ...internal]],
  'aliased.test': [[publicAddress], ['alias.test']],
};

const attempts = 10;
/** Below the size of the connection pool. */
const concurrency = 4;
const userId = 1;
const cipher = new WebhookSecretCipher('a secret of at least thirty-two characters');
const never = new AbortController().signal;

let db: TestDatabase;
let deliveries: DeliveryRepository;
let deliveryService: DeliveryService;
let endpointService: EndpointService;
let nameServer: NameServer;
let canary: Server;
let port: number;
/** Connections to the port of the canary, at any address of this machine. */
let connections = 0;
let lookedUp: string[] = [];
let socketConnect: jest.SpiedFunction<Socket['connect']>;

beforeAll(async () => {
  canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(canary.listen(0), 'listening');
  ({ port } = canary.address() as AddressInfo);
  nameServer = await NameServer.start({ ...internalHostNames, ...rebinding });
  db = await testDatabase('webhooks', [EndpointEntity, DeliveryEntity, AttemptEntity]);
  deliveries = new DeliveryRepository(db.database);
  const client = new WebhookClient({ allowedHosts: new Set(), timeoutMs: 20_000, resolver: nameServer.resolver() });
  deliveryService = new DeliveryService(deliveries, cipher, client);
  endpointService = new EndpointService(
    new EndpointRepository(db.database),
    new EndpointQueries(db.database, cipher),
    new IdempotencyKeys(db.database),
    cipher,
    { WEBHOOK_ALLOWED_HOSTS: new Set<string>() } as unknown as WebhooksEnv,
  );
  socketConnect = withoutPublicNetwork();
});
afterAll(async () => {
  socketConnect.mockRestore();
  nameServer.close();
  canary.close();
  await db.close();
});
beforeEach(async () => {
  connections = 0;
  lookedUp = [];
  for (const table of ['webhook_endpoints', 'events']) await db.database.query(`delete from ${table}`);
});

/**
 * Lets sockets to the port of the canary connect to internal addresses, and fail as if the public
 * ones that they are given were not reachable.
 */
function withoutPublicNetwork(): jest.SpiedFunction<Socket['connect']> {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the socket as `this`
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  return jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [options] = [args[0]].flat() as [TcpNetConnectOpts];
    const { lookup } = options;
    if (String(options.port) === String(port) && lookup)
      options.lookup = (name, lookupOptions, callback) => {
        lookup(name, lookupOptions, (error, found) => {
          if (error) {
            callback(error, found);
            return;
          }
          const addresses = found as LookupAddress[];
          lookedUp.push(...addresses.map(({ address }) => address));
          const reachable = addresses.filter((each) => !isPublic(each));
          const unreachable = Object.assign(new Error('unreachable'), { code: 'ENETUNREACH' });
          if (reachable.length > 0) callback(null, reachable);
          else callback(unreachable, []);
        });
      };
    return connect.apply(this, args);
  });
}

/** Returns the URL with `https` and the port of the canary, which a guard with a gap reaches. */
const atCanary = (url: string): string => url.replace('http:', 'https:').replace(/[/\\]?$/, `:${port}/`);

const create = (url: string) =>
  endpointService.create({
    viewerId: userId,
    url,
    description: '',
    types: [],
    applicationId: null,
    signature: 'v1' as const,
  });
const insert = (url: string) =>
  insertEndpoint(db.database, { userId, url, secrets: [cipher.encrypt(generateWebhookSecret(), userId)] });

/** Makes all attempts of an event at all endpoints, without delays. Returns the results by URL. */
async function resultsOfAllAttempts(): Promise<Record<string, string[]>> {
  await appendEvent(db.database, { type: 'sale.recorded', userId });
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    await db.database.query("update webhook_deliveries set next_attempt_at = now() where status = 'pending'");
    await db.database.query('update webhook_endpoints set open_until = null');
    const claims = await deliveries.claim({ perEndpoint: 1, shared: 0 }, 1_000, 60_000);
    for (let n = 0; n < claims.length; n += concurrency)
      await Promise.all(claims.slice(n, n + concurrency).map((claim) => deliveryService.attempt(claim, never)));
  }
  const rows = await db.database.query<{ url: string; results: string[] }>(
    `select url, array_agg(coalesce(a.error, 'success') order by number) as results
     from webhook_attempts a join webhook_deliveries d on d.id = delivery_id join webhook_endpoints e on e.id = endpoint_id
     group by url`,
  );
  return Object.fromEntries(rows.map(({ url, results }) => [url, results]));
}

const rejection = 'address-not-allowed';
const rejectedAlways = (urls: readonly string[]) =>
  Object.fromEntries(urls.map((url) => [url, Array<string>(attempts).fill(rejection)]));

describe('an endpoint is not created with', () => {
  it.each(internalUrls)('the internal address %j', async (url) => {
    for (const text of [url.replace('http:', 'https:'), atCanary(url)])
      await expect(create(text)).rejects.toMatchObject({ kind: problems['webhook-endpoint.url-not-allowed'] });
  });

  // Webhooks may use high ports
  it.each(disallowedUrls.filter(([what]) => what !== 'a high port'))('%s', async (_what, url) => {
    await expect(create(url)).rejects.toMatchObject({ kind: problems['webhook-endpoint.url-not-allowed'] });
  });
});

describe('an endpoint is not connected to in any attempt', () => {
  it('at an internal address, in each spelling', async () => {
    // Others violate the constraint of the column
    const urls = internalUrls.map(atCanary).filter((url) => /^https?:\/\//.test(url));
    expect(urls.length).toBeGreaterThanOrEqual(60);
    for (const url of urls) await insert(url);
    expect(await resultsOfAllAttempts()).toEqual(rejectedAlways(urls));
    expect([connections, lookedUp]).toEqual([0, []]);
  }, 240_000);

  it('by a name with an internal address', async () => {
    const names = [...Object.keys(internalHostNames), 'LoopBack.Test', 'loopback.test.', 'unknown.test'];
    const urls = names.map((name) => `https://${name}:${port}/`);
    for (const url of urls) await insert(url);
    expect(await resultsOfAllAttempts()).toEqual(rejectedAlways(urls));
    expect([connections, lookedUp]).toEqual([0, []]);
  }, 240_000);
});

describe('a name that was public when its endpoint was created', () => {
  const laterResults = Array<string>(attempts - 1).fill(rejection);

  it.each(['rebinding.test', 'joining.test', 'aliased.test'])('is rejected in each later attempt: %s', async (name) => {
    const url = `https://${name}:${port}/`;
    await create(url);
    expect(await resultsOfAllAttempts()).toEqual({ [url]: ['unreachable', ...laterResults] });
    // The first attempt used the checked address only
    expect([connections, lookedUp]).toEqual([0, [publicAddress]]);
  });

  it('is checked again when its address changes twice', async () => {
    const url = `https://alternating.test:${port}/`;
    await create(url);
    expect(await resultsOfAllAttempts()).toEqual({
      [url]: ['unreachable', rejection, 'unreachable', ...laterResults.slice(2)],
    });
    expect([connections, lookedUp]).toEqual([0, [publicAddress, publicAddress]]);
  });
});
