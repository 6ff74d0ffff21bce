import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import createClient, { type Middleware } from 'openapi-fetch';
import sharp from 'sharp';
import { projectPath } from '#config';
import type { paths } from '../../docs/clients/openapi.js';
import { LossyShop } from '../support/lossy-shop.js';
import { api, baseUrl, eventually, newUser, newUsers, type User } from '../support/shop.js';

const execute = promisify(execFile);

/** Programs of docs/clients, each with the commands that it requires. */
const programs: readonly (readonly [file: string, command: string, ...others: string[]])[] = [
  ['first-product.sh', 'sh', 'curl', 'jq'],
  ['first-product.mjs', 'node'],
  ['first-product.py', 'python3'],
  ['first-product.rb', 'ruby'],
];
const isInstalled = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
/** Commands that the shell sessions in README.md and docs/clients.md require. */
const sessionCommands = ['sh', 'curl', 'jq', 'openssl', 'base64'];
const allCommands = [...programs.flatMap(([, ...names]) => names), ...sessionCommands];
const missing = new Set(allCommands.filter((command) => !isInstalled(command)));
const required = (process.env.REQUIRE_COMMANDS ?? '').split(' ').filter((command) => missing.has(command));
if (required.length > 0) throw new Error(`REQUIRE_COMMANDS: ${required.join()} not found`);

/** Failures of the first attempts of requests, after which a client should retry. */
const failures = {
  'GET /api/v1/user': [{ status: 504 }],
  'GET /api/v1/items': [{ status: 503, retryAfter: 1 }],
  'POST /api/v1/materials/text': ['lost'],
  'POST /api/v1/materials': ['lost', { status: 429, retryAfter: 2 }],
  'POST /api/v1/products/:id/favorites': ['lost'],
} as const;

interface Run {
  readonly user: User;
  /** Working folder of the program, into which it downloads an image. */
  readonly folder: string;
  readonly shop: LossyShop;
  readonly output: string;
}

const image = projectPath('libs/demo-shop/artwork/lighthouse-badge.png');
const startProgram = (
  file: string,
  command: string,
  { folder: cwd, shop }: Pick<Run, 'folder' | 'shop'>,
  key: string,
) =>
  execute(command, [projectPath('docs/clients', file), image], {
    cwd,
    env: { ...process.env, STOREFRONT_URL: shop.url, STOREFRONT_KEY: key },
  });

const runs = new Map<string, Run>();
beforeAll(async () => {
  // Concurrently, because the programs wait most of the time
  const starts = programs.map(async ([file, command, ...others]) => {
    if ([command, ...others].some((it) => missing.has(it))) return;
    const [user, folder] = [await newUser(), await mkdtemp(join(tmpdir(), 'first-product-'))];
    const shop = await LossyShop.open(failures);
    const { stdout: output } = await startProgram(file, command, { folder, shop }, user.apiKey);
    runs.set(file, { user, folder, shop, output });
  });
  await Promise.all(starts);
}, 120_000);
afterAll(async () => {
  for (const { shop, folder } of runs.values()) {
    shop.close();
    await rm(folder, { recursive: true });
  }
});

/**
 * Returns the commands under a heading of a page. The first block, which sets the variables, is
 * omitted: the test sets them.
 */
async function sessionOf(page: string, heading: string, variables: readonly string[]): Promise<string> {
  const [, ...sections] = (await readFile(projectPath(page), 'utf8')).split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const [first = '', ...blocks] = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
  expect([...first.matchAll(/^[A-Z_]+(?==)/gm)].flat()).toEqual(variables);
  expect(blocks).not.toEqual([]);
  return blocks.join('');
}

/** Runs the commands of a page in an empty folder. Returns the lines of the output. */
async function runSession(session: string, cwd: string, variables: Readonly<Record<string, string>>) {
  const { stdout } = await execute('sh', ['-e', '-c', session], { cwd, env: { ...process.env, ...variables } });
  return stdout.split('\n');
}

const missingForSession = sessionCommands.filter((command) => missing.has(command));
if (missingForSession.length > 0)
  console.warn(`SKIPPED: sessions of README.md and docs/clients.md, missing commands: ${missingForSession.join()}`);
// REQUIRE_COMMANDS, which the build server sets, fails instead of skipping
const itInSession = missingForSession.length > 0 ? it.skip : it;

itInSession('the session of docs/clients.md makes a product and downloads its image', async () => {
  const [user, cwd] = [await newUser(), await mkdtemp(join(tmpdir(), 'session-'))];
  try {
    const variables = { BASE: baseUrl, KEY: user.apiKey, IMAGE: image };
    const session = await sessionOf('docs/clients.md', 'First product', Object.keys(variables));
    const lines = await runSession(session, cwd, variables);
    const [product] = (await api('GET', `/products?userId=${user.id}`, { token: user.apiKey })).body.products;
    expect(lines[0]).toBe(user.name);
    expect(lines[1]).toMatch(/^1 {2}スタンダードTシャツ {2}from \d+$/);
    const { id, title, priceWithTax, sampleImageUrl } = product;
    expect(lines.slice(-2)).toEqual([`Product ${id}: ${title}, ${priceWithTax}, ${sampleImageUrl}`, '']);
    const { width, height, format } = await sharp(await readFile(join(cwd, 'product.webp'))).metadata();
    expect([width, height, format]).toEqual([500, 500, 'webp']);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

itInSession(
  'the session of README.md creates two products, and the creator gets an activity about a favorite',
  async () => {
    const [user, fan] = await newUsers(2);
    const cwd = await mkdtemp(join(tmpdir(), 'session-'));
    try {
      const variables = { BASE: baseUrl, KEY: user!.apiKey, FAN_KEY: fan!.apiKey, IMAGE: image };
      const session = await sessionOf('README.md', 'Five minutes', Object.keys(variables));
      const lines = await runSession(session, cwd, variables);
      expect(lines.slice(0, 2).map((line) => line.split('  ').slice(1, 3))).toEqual([
        ['Lighthouse スタンダードTシャツ', '2750'],
        ['Lighthouse マグカップ', '1870'],
      ]);
      expect(lines[2]).toBe('{"totalCount":2}');
      expect(lines[3]).toMatch(/^Lighthouse /);
      const address = lines[0]!.split('  ')[3]!;
      expect((await fetch(address)).status).toBe(200);
      await eventually(
        async () => (await api('GET', '/activities', { token: user!.apiKey })).body.activities,
        (activities) => activities.some(({ eventType }: any) => eventType === 'favorite'),
      );
    } finally {
      await rm(cwd, { recursive: true });
    }
  },
);

it('the middleware for openapi-fetch retries a POST with the same key until it gets a response', async () => {
  const [user, shop] = [await newUser(), await LossyShop.open(failures)];
  try {
    const { retry } = (await import(projectPath('docs/clients/retry.mjs'))) as { retry: Middleware };
    const client = createClient<paths>({ baseUrl: shop.url, headers: { authorization: `Bearer ${user.apiKey}` } });
    client.use(retry);
    const made = [];
    for (const text of ['one', 'two'])
      made.push((await client.POST('/api/v1/materials/text', { body: { text } })).data?.material.id);
    expect(new Set(made).size).toBe(2);
    const attempts = shop.of('POST /api/v1/materials/text');
    expect(attempts.map(({ isReplayed }) => isReplayed)).toEqual([false, true, false]);
    const keys = attempts.map(({ key }) => key);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
    const { error } = await client.GET('/api/v1/materials/{materialId}', {
      params: { path: { materialId: 999_999_999 } },
    });
    expect([error?.code, shop.of('GET /api/v1/materials/:id').length]).toEqual(['material.not-found', 1]);
  } finally {
    shop.close();
  }
});

describe.each(programs)('%s', (file, ...commands) => {
  const lacking = commands.filter((command) => missing.has(command));
  if (lacking.length > 0) {
    console.warn(`SKIPPED: ${file}, missing commands: ${lacking.join()}`);
    it.skip('is skipped', () => undefined);
    return;
  }
  const of = (request: string) => runs.get(file)!.shop.of(request);

  it('prints its usage without a key or an image', () => {
    const [command] = commands;
    const call = (key: string, ...parameters: string[]) =>
      spawnSync(command!, [projectPath('docs/clients', file), ...parameters], {
        encoding: 'utf8',
        env: { ...process.env, STOREFRONT_KEY: key },
      });
    const stderr = `Usage: STOREFRONT_KEY=... ${command} ${file} image.png\n`;
    for (const { status, ...ended } of [call('', image), call('key'), call('key', 'none.png')])
      expect([status === 0, ended.stderr]).toEqual([false, stderr]);
  });

  it('creates two products, downloads an image and favorites it despite failures', async () => {
    const { user, folder, output } = runs.get(file)!;
    const { products } = (await api('GET', `/products?userId=${user.id}`, { token: user.apiKey })).body;
    // Although the shop received each of the two requests more than once
    expect(products).toHaveLength(2);
    const [printed, written] = products;
    const lines = output.split('\n');
    expect(lines[0]).toBe(`You are ${user.name}.`);
    expect(lines[1]).toMatch(/^1 {2}スタンダードTシャツ {2}from \d+$/);
    const productLines = [written, printed].map(
      ({ id, title, priceWithTax, sampleImageUrl }) => `Product ${id}: ${title}, ${priceWithTax}, ${sampleImageUrl}`,
    );
    const name = `product-${printed.id}.webp`;
    const bytes = await readFile(join(folder, name));
    const { width, height, format } = await sharp(bytes).metadata();
    expect([width, height, format]).toEqual([500, 500, 'webp']);
    expect(lines.slice(-5)).toEqual([...productLines, `${name} has ${bytes.length} bytes.`, 'Favorites: 1', '']);
  });

  it('retries with the same key, and uses a new key for each request', () => {
    const replays = ['materials/text', 'materials', 'products/:id/favorites'].map((path) => {
      const attempts = of(`POST /api/v1/${path}`);
      expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
      expect(attempts[0]!.key).toMatch(/^[\da-f-]{32,36}$/);
      return attempts.map(({ isReplayed }) => isReplayed);
    });
    expect(replays).toEqual([
      [false, true],
      [false, false, true],
      [false, true],
    ]);
    const keys = runs.get(file)!.shop.attempts.flatMap(({ key }) => key ?? []);
    expect(new Set(keys).size).toBe(3);
  });

  it('waits for Retry-After before a retry', () => {
    const [first, second, third] = of('POST /api/v1/materials').map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThan(990);
    expect(third! - second!).toBeGreaterThan(1_990);
  });

  it('exits with the error of the shop, without a retry, if it is permanent', async () => {
    const { shop, folder } = runs.get(file)!;
    const before = shop.attempts.length;
    const ended: { code: number; stderr: string } = await startProgram(
      file,
      commands[0]!,
      { folder, shop },
      'wrong',
    ).then(
      () => ({ code: 0, stderr: '' }),
      (error: unknown) => error as never,
    );
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/401: .*token\.invalid/);
    expect(shop.attempts.length).toBe(before + 1);
  });
});
