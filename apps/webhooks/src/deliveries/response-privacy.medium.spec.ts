import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import pg from 'pg';
import { openQueueClients, type QueueClients } from '#request-queue';
import { eventually, testDatabase, type TestDatabase, TestProgram, testRedisUrl } from '#testing';

/** Part of every response of the receiver, in its headers, its reason phrase and its body. */
const canary = 'canary-7f3a';
const long = canary.repeat(10_000);
const head = (status: string, ...headers: readonly string[]): string =>
  [`HTTP/1.1 ${status} ${canary}`, `x-canary: ${canary}`, `set-cookie: ${canary}=${canary}`, ...headers, '', ''].join(
    '\r\n',
  );
const whole = (status: string, ...headers: readonly string[]): string =>
  head(status, `content-length: ${canary.length}`, ...headers) + canary;

/** Responses by path, with the status and the class of the failure that the delivery log shows. */
const responses: Readonly<Record<string, readonly [bytes: string, statusCode: number | null, error: string | null]>> = {
  '/200': [whole('200'), 200, null],
  '/400': [whole('400'), 400, 'status'],
  '/410': [whole('410'), 410, 'status'],
  '/429': [whole('429', `retry-after: ${canary}`), 429, 'status'],
  '/500': [whole('500'), 500, 'status'],
  '/999': [whole('999'), null, 'protocol'],
  '/302': [whole('302', `location: https://${canary}.example.com/`), 302, 'redirect'],
  '/broken-chunks': [`${head('200', 'transfer-encoding: chunked')}5\r\n${canary}`, 200, 'protocol'],
  '/cut-off': [`${head('200', 'content-length: 100000')}${canary}`, 200, 'reset'],
  '/long-body': [head('200', `content-length: ${long.length}`) + long, 200, null],
  '/long-failure': [head('500', `content-length: ${long.length}`) + long, 500, 'status'],
  '/long-header': [head('200', `x-long: ${long}`), null, 'too-large'],
  '/no-http': [`${canary}\r\n\r\n`, null, 'protocol'],
};

let db: TestDatabase;
let program: TestProgram;
let clients: QueueClients;
let receiver: Server;
/** Requests as the receiver reads them. */
const requests: string[] = [];

beforeAll(async () => {
  receiver = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      const request = String(bytes);
      requests.push(request);
      socket.end(responses[request.split(' ')[1]!]![0]);
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  db = await testDatabase('webhooks');
  const redisUrl = testRedisUrl();
  program = await TestProgram.start('webhooks', {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
    WEBHOOK_ENCRYPTION_SECRET: 'a secret that is long enough for a key',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'trace',
  });
  await program.untilReady();
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['webhooks'] });
});
afterAll(async () => {
  await clients.close();
  await program.kill();
  receiver.close();
  await db.close();
});

/** Returns all rows of the schema as text. */
async function databaseText(): Promise<string> {
  const owner = new pg.Client(db.ownerUrl);
  await owner.connect();
  const { rows: tables } = await owner.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'webhooks'",
  );
  let text = '';
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(`select t::text as row from webhooks."${name}" t`);
    text += `${name}: ${rows.map(({ row }) => row).join('\n')}\n`;
  }
  await owner.end();
  return text;
}

const viewerId = 1;

/** Delivers a test to the receiver. @returns the secret, and what the API shows of the endpoint */
async function deliver(path: string) {
  const service = clients.of('webhooks');
  const { webhookEndpoint, secret } = await service.call('webhook-endpoints.create', {
    viewerId,
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
    description: '',
    types: [],
    applicationId: null,
    signature: 'v1a',
  });
  const endpointId = webhookEndpoint.id;
  await service.call('webhook-endpoints.test', { viewerId, endpointId });
  const list = () => service.call('webhook-deliveries.list', { viewerId, endpointId, limit: 20, offset: 0 });
  const log = await eventually('the attempt is stored', async () => {
    const found = await list();
    return found.webhookDeliveries[0]!.attempts.length > 0 && found;
  });
  return { secret, log, endpoint: await service.call('webhook-endpoints.get', { viewerId, endpointId }) };
}

describe.each(Object.entries(responses))('the response %s', (path, [, statusCode, error]) => {
  it('is shown by its status and class only; neither it nor a secret is stored or logged', async () => {
    const { secret, log, endpoint } = await deliver(path);
    expect(log.webhookDeliveries[0]!.attempts[0]).toMatchObject({ number: 1, statusCode, error });
    expect(secret).toMatch(/^whsec_/);
    const shown = { api: JSON.stringify([log, endpoint]), rows: await databaseText(), output: program.output };
    const unwanted = [canary, 'whsec_', 'whsk_', secret.slice('whsec_'.length)];
    const isRevealing = (text: string): boolean => unwanted.some((it) => text.includes(it));
    expect(Object.entries(shown).filter(([, text]) => isRevealing(text))).toEqual([]);
    expect([shown.rows.includes(path), shown.output.includes('"app":"webhooks"')]).toEqual([true, true]);
  });
});

it('no signature is stored or logged', async () => {
  const signatures = requests.flatMap((request) => [...request.matchAll(/v1a?,([^ \r]+)/g)].map(([, it]) => it!));
  expect(signatures.length).toBeGreaterThanOrEqual(2 * Object.keys(responses).length);
  const texts = `${await databaseText()}${program.output}`;
  expect(signatures.filter((signature) => texts.includes(signature))).toEqual([]);
});
