import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { projectPath, readEnvironment, StackEnvironment as Address } from '#config';
import { serviceNames } from '#contracts';
import { BlobStoreEnvironment as Keys } from '#storage';
import { Environment as Migrate } from '../../apps/migrate/src/env.js';
import { Env as Operator } from '../../apps/operator/src/env.js';
import { Env as Seed } from '../../apps/seed/src/env.js';
import { describeSetting } from './describe-setting.js';
import { settingRows, settingsOfServer } from './settings-table.js';

const long = 'a secret that is long enough for a key';

/** Every secret setting with a valid value. */
const secrets: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://owner:password@localhost/storefront',
  RECEIVING_DATABASE_URL: 'postgres://owner:password@second/storefront',
  DATABASE_ROLES_SECRET: long,
  REDIS_REQUESTS_URL: 'redis://:password@localhost:6379',
  REDIS_JOBS_URL: 'redis://:password@localhost:6380',
  IMAGE_SIGNING_SECRET: long,
  IMAGE_PURGE_SECRET: 'secret',
  KEY_ENCRYPTION_SECRET: long,
  WEBHOOK_ENCRYPTION_SECRET: long,
  QUEUE_BOARD_PASSWORD: long,
  OIDC_PROVIDERS: '[]',
  SMTP_URL: 'smtps://user:password@smtp.example.com',
  API_KEY: 'a personal key',
  DEMO_ACCOUNT: 'demo:password',
  DEMO_PASSWORD: 'a password',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=secret',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
};
const others: Readonly<Record<string, string>> = {
  BASE_URL: 'https://shop.example.com',
  BLOB_STORE_URL: 'file:///blobs',
  GATEWAY_URL: 'http://gateway:3000',
  MAIL_FROM: 'shop@example.com',
};
/** Settings of the operator, by part, as its commands read them. */
const operator = { Address, Keys, Operator };
const shapes = { ...settingsOfServer, Migrate, Seed, ...operator };

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(shapes))('the settings of %s', (_, shape) => {
  const ownSecrets = Object.keys(shape.shape).filter((name) => name in secrets);
  const given = Object.fromEntries(ownSecrets.map((name) => [name, secrets[name]]));

  it('mark their secrets', () => {
    const types = Object.entries(shape.shape as Record<string, z.ZodType>);
    const marked = types.filter(([, type]) => describeSetting(type).isSecret).map(([name]) => name);
    expect(marked).toEqual(ownSecrets);
  });

  it.each(ownSecrets)('accept %s from a file, and reject both forms together', (name) => {
    const file = join(folder, name);
    writeFileSync(file, `${secrets[name]!}\n`);
    const { [name]: value, ...rest } = { ...others, ...given };
    const fromFile = readEnvironment(shape, { ...rest, [`${name}_FILE`]: file });
    expect(fromFile).toEqual(readEnvironment(shape, { ...rest, [name]: value }));
    expect(() => readEnvironment(shape, { ...rest, [name]: value, [`${name}_FILE`]: file })).toThrow(
      `${name}: set either ${name} or ${name}_FILE, not both`,
    );
  });
});

describe('SECURITY.md', () => {
  const rows = readFileSync(projectPath('SECURITY.md'), 'utf8').split('\n');
  const cells = rows.flatMap((row) => {
    const [, name, where] = row.split('|').map((cell) => cell.trim());
    return /^`[A-Z_]+`$/.test(name ?? '') ? [[name!.replaceAll('`', ''), where!] as const] : [];
  });
  const programsOf: Readonly<Record<string, readonly string[]>> = {
    'all apps': ['gateway', ...serviceNames],
    services: serviceNames,
  };

  it('lists every secret', () => {
    expect(cells.map(([name]) => name)).toEqual(Object.keys(secrets));
  });

  it.each(cells)('lists the readers of %s: %s', (name, where) => {
    const listed = where.split(', ').flatMap((word) => programsOf[word] ?? word.replaceAll('`', ''));
    const readers = [
      ...settingRows()
        .find(([setting]) => setting === name)![1]
        .keys(),
    ];
    // `npm start` generates secrets or passes them on
    expect(listed.sort()).toEqual(readers.filter((program) => program !== 'npm start').sort());
  });
});
