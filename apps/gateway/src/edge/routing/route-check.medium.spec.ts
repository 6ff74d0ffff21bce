import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Controller, Get, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { readEnvironment } from '#config';
import { type Operation as Contract, operations } from '#contracts';
import { testRedisUrl } from '#testing';
import { Env } from '../../env.js';
import { GatewayModule } from '../../gateway.module.js';
import { createAdapter } from '../server/create-adapter.js';
import { ProblemWriter } from '../errors/problem-writer.js';
import { Operation, Public } from './operation.decorator.js';

@Controller('internal')
class Undeclared {
  @Get('dump')
  dump(): string {
    return 'everything';
  }
}

@Controller('docs')
class SecondAnswer {
  @Operation('users.self')
  self(): string {
    return 'somebody';
  }
}

@Controller('hanako')
class NamedLikeSomebody {
  @Public()
  @Post()
  show(): string {
    return 'not hanako';
  }
}

const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
const env = readEnvironment(Env, {
  BASE_URL: 'https://shop.example.com',
  REDIS_REQUESTS_URL: testRedisUrl(),
  BLOB_STORE_URL: pathToFileURL(folder).href,
  IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
});
afterAll(() => rm(folder, { recursive: true }));

/** The gateway with more than it should have, up to the point where it would listen. */
async function start(planted: readonly Type[], change: (app: NestFastifyApplication) => void = () => undefined) {
  const problemWriter = new ProblemWriter(env.BASE_URL);
  const module = GatewayModule.with(env, pino({ level: 'silent' }), problemWriter);
  const adapter = createAdapter(env, problemWriter);
  const app = await NestFactory.create<NestFastifyApplication>({ ...module, controllers: [...planted] }, adapter, {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  change(app);
  try {
    await app.init();
    return adapter.routes;
  } finally {
    await app.close();
  }
}

describe('the start of the gateway', () => {
  it('succeeds with what it has', async () => {
    expect((await start([])).size).toBeGreaterThan(60);
  });

  it('fails with a route that does not say who may come in', async () => {
    await expect(start([Undeclared])).rejects.toThrow(
      'Undeclared.dump (GET /internal/dump) declares neither @Operation nor @Page nor @Public',
    );
  });

  it('fails with an operation that no route answers', async () => {
    const table = operations as Record<string, Contract>;
    table['planted.show'] = { ...operations['users.self'], path: '/api/v1/planted' };
    try {
      await expect(start([])).rejects.toThrow('no route answers planted.show');
    } finally {
      delete table['planted.show'];
    }
  });

  it('fails with a second route of an operation', async () => {
    await expect(start([SecondAnswer])).rejects.toThrow('two routes answer users.self');
  });

  it('fails with an address that would hide a user', async () => {
    await expect(start([NamedLikeSomebody])).rejects.toThrow('NamedLikeSomebody.show (POST /hanako) takes a name');
  });

  it('fails with a route that a plug-in has added to the server', async () => {
    const debug = (app: NestFastifyApplication) =>
      void app
        .getHttpAdapter()
        .getInstance()
        .get('/debug', () => 'everything');
    await expect(start([], debug)).rejects.toThrow('the server answers what no controller declares: GET /debug');
  });
});
