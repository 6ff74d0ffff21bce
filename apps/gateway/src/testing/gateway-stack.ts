import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { readEnvironment } from '#config';
import { testRedisUrl } from '#testing';
import { Env } from '../env.js';
import { createGateway } from '../gateway.js';
import { type EdgeTimes, edgeTimes } from '../edge/server/edge-times.js';
import { type FakeHandler, fakeServices } from './fake-services.js';

export const baseUrl = 'https://shop.example.com';

const introspections: Record<string, object> = {
  writer: { active: true, userId: 1, scopes: ['read', 'write'], tokenHash: 'a', applicationId: null },
  'other-writer': { active: true, userId: 2, scopes: ['read', 'write'], tokenHash: 'b', applicationId: null },
  reader: { active: true, userId: 3, scopes: ['read'], tokenHash: 'c', applicationId: null },
  printer: { active: true, userId: 4, scopes: ['production'], tokenHash: 'd', applicationId: null },
  application: { active: true, userId: 1, scopes: ['read', 'write'], tokenHash: 'e', applicationId: 5 },
  'previous-version': { active: true, userId: 1, scopes: ['read', 'write'], tokenHash: 'f' },
};

/**
 * Gateways with fake services. Tokens: `writer` (user 1), `other-writer` (2), `reader` (3),
 * `printer` (4), which has the scope production only;
 * `application`, which user 1 has granted; `previous-version`, of accounts of that version.
 */
export class GatewayStack {
  readonly logged: { level: number; msg: string }[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  /** Gateways in the order of their start. */
  readonly apps: NestFastifyApplication[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly redisUrl: string,
    readonly handlers: Record<string, FakeHandler>,
  ) {}

  static async start(handlers: Record<string, FakeHandler> = {}): Promise<GatewayStack> {
    const stack = new GatewayStack(testRedisUrl(), handlers);
    handlers['tokens.introspect'] = ({ token }: { token: string }) => introspections[token] ?? { active: false };
    handlers['identities.providers'] ??= () => ({ providers: [] });
    handlers['activities.unreads'] ??= () => ({ unreads: 0 });
    stack.closers.push(await fakeServices(stack.redisUrl, handlers));
    return stack;
  }

  /** Starts another gateway in this process. @returns the origin of the gateway */
  async gateway(environment: Record<string, string> = {}, times: Partial<EdgeTimes> = {}): Promise<string> {
    const env = readEnvironment(Env, {
      BASE_URL: baseUrl,
      REDIS_REQUESTS_URL: this.redisUrl,
      BLOB_STORE_URL: pathToFileURL(this.folder).href,
      IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
      ...environment,
    });
    const level = environment.LOG_LEVEL ?? 'warn';
    const log = pino({ level }, { write: (line) => void this.logged.push(JSON.parse(line) as never) });
    const app = await createGateway(env, log, { ...edgeTimes, ...times });
    await app.listen(0, '127.0.0.1');
    this.apps.push(app);
    this.closers.unshift(() => app.close());
    return app.getUrl();
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface SendOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Sends a request. A body other than a string is sent as JSON. */
export async function send(
  method: string,
  url: string,
  { token, body, headers = {} }: SendOptions = {},
): Promise<TestResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
