import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { freePort } from '#dev-stack';
import type { EventEnvelope } from '#contracts';
import { QueuedEvents } from '#events';
import { openQueueClients, QueueServer } from '#request-queue';
import { eventually, testCertificate } from '#testing';
import { Publisher } from '../../libs/events/src/publisher.js';
import { redisProgram } from '../dev-stack/redis/redis-program.js';

let folder: string;
let server: ChildProcess;
let url: string;
let closing: (() => unknown)[] = [];

const trusting = (file: string): string => `${url}?sslrootcert=${join(folder, file)}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-tls-'));
  const [authority, other] = ['redis', 'another'].map((name) => testCertificate(name, { isCa: true }));
  const { cert, key } = testCertificate('localhost', { issuer: authority! });
  const files = { 'ca.crt': authority!.cert, 'other.crt': other!.cert, 'tls.crt': cert, 'tls.key': key };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const port = await freePort();
  url = `rediss://localhost:${port}`;
  const { path, env } = await redisProgram();
  // Same arguments as in the production overlay
  const tls = ['--tls-cert-file', 'tls.crt', '--tls-key-file', 'tls.key', '--tls-ca-cert-file', 'ca.crt'];
  const ports = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'];
  server = spawn(path, [...ports, ...tls, '--save', '', '--bind', '127.0.0.1'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});
afterAll(async () => {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
  await rm(folder, { recursive: true });
});

/** Starts a replica of activity and waits until it listens. */
async function serveActivity(): Promise<void> {
  const replica = new QueueServer({ service: 'activity', redisUrl: trusting('ca.crt'), registry: new Registry() });
  closing.push(() => replica.close());
  for (const name of ['health.check', 'activities.list', 'activities.subjects', 'activities.unreads'])
    replica.addHandler(name, () => Promise.resolve({ status: 'ok' }));
  await new Promise<void>((resolve, reject) => {
    replica.listen((error) => (error instanceof Error ? reject(error) : resolve()));
  });
}

const open = (redisUrl: string) =>
  openQueueClients({ app: 'gateway', redisUrl, services: ['activity'], registry: new Registry() });

it('sends requests and events by TLS to a server with a certificate of the given CA', async () => {
  await serveActivity();
  const clients = await open(trusting('ca.crt'));
  closing.push(() => clients.close());
  expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
  const publisher = new Publisher({
    jobsUrl: trusting('ca.crt'),
    requestsUrl: trusting('ca.crt'),
    prefix: 'storefront',
    timeoutMs: 20_000,
    onError: () => undefined,
    attempts: 1,
    backoffMs: 1_000,
  });
  closing.push(() => publisher.close());
  const id = '00000000-0000-4000-8000-000000000001';
  const event = { id, name: 'user.deleted', version: 1, occurredAt: '', payload: {}, metadata: {} };
  await publisher.publish('activity', [event as unknown as EventEnvelope]);
  const queued = new QueuedEvents(trusting('ca.crt'));
  closing.push(() => queued.close());
  expect((await queued.snapshot(new Date(0))).get('activity')!.get('waiting')).toEqual([id]);
});

it.each([
  ['another authority', 'other.crt'],
  ['the authorities of Node.js', undefined],
])('rejects the server if the client trusts only %s', async (_, file) => {
  await serveActivity();
  const reasons: string[] = [];
  const log = { debug: () => undefined, info: () => undefined, error: () => undefined };
  const warn = (fields: object): void => void reasons.push(String((fields as { reason?: unknown }).reason));
  const redisUrl = file === undefined ? url : trusting(file);
  const opening = openQueueClients({
    app: 'gateway',
    redisUrl,
    services: ['activity'],
    registry: new Registry(),
    log: { ...log, warn },
  });
  await expect(opening).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
  await eventually('a reason', () => reasons.length > 0);
  expect(reasons[0]).toMatch(/unable to verify|self[- ]signed|unable to get/);
});
