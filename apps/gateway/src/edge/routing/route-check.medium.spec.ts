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
import { AccessBy } from './access.js';
import { Operation, Public } from './operation.decorator.js';

@Controller('internal')
class Undeclared {
  @Get('dump')
  dump(): string {
    return 'everything';
  }
}

@Controller('docs')
class SecondRoute {
  @Operation('users.self')
  self(): string {
    return 'user';
  }
}

@Controller('hanako')
class NamedLikeUser {
  @Public()
  @Post()
  show(): string {
    return 'not hanako';
  }
}

@Controller('docs')
class UncountedForm {
  @AccessBy({ page: 'members' })
  @Post('feedback')
  send(): string {
    return 'saved';
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

/** Starts the gateway with additional controllers, without listening. */
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
  it('succeeds with the declared routes', async () => {
    expect((await start([])).size).toBeGreaterThan(60);
  });

  it('fails with a route without declared access', async () => {
    await expect(start([Undeclared])).rejects.toThrow(
      'Undeclared.dump (GET /internal/dump) declares neither @Operation nor @Page nor @Public',
    );
  });

  it('fails with a form that declares no rate limit', async () => {
    await expect(start([UncountedForm])).rejects.toThrow(
      'UncountedForm.send (POST /docs/feedback) declares neither @CountsAs nor @FormCountsAs nor @NotCounted',
    );
  });

  it('fails with an operation without a route', async () => {
    const table = operations as Record<string, Contract>;
    table['planted.show'] = { ...operations['users.self'], path: '/api/v1/planted' };
    try {
      await expect(start([])).rejects.toThrow('no route for planted.show');
    } finally {
      delete table['planted.show'];
    }
  });

  it('fails with a second route of an operation', async () => {
    await expect(start([SecondRoute])).rejects.toThrow('two routes for users.self');
  });

  it('fails with a path that would hide a user page', async () => {
    await expect(start([NamedLikeUser])).rejects.toThrow('NamedLikeUser.show (POST /hanako) takes a name');
  });

  it('fails with a route added by a plugin', async () => {
    const debug = (app: NestFastifyApplication) =>
      void app
        .getHttpAdapter()
        .getInstance()
        .get('/debug', () => 'everything');
    await expect(start([], debug)).rejects.toThrow('the server has undeclared routes: GET /debug');
  });
});
