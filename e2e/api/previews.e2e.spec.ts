import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PreviewCreateResponse } from '#contracts';
import { artwork } from '../support/artwork.js';
import { type OwnStack, startStack } from '../support/own-stack.js';

const lifetimeSeconds = 15;

let folder: string;
let stack: OwnStack;
let database: pg.Client;
let blobFolder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-previews-'));
  stack = await startStack(folder, ['--no-demo'], { PREVIEW_SECONDS: String(lifetimeSeconds) });
  const { databaseUrl, blobStoreUrl } = JSON.parse(await readFile(join(folder, 'stack.json'), 'utf8'));
  database = new pg.Client(databaseUrl);
  await database.connect();
  blobFolder = fileURLToPath(blobStoreUrl);
});
afterAll(async () => {
  await database.end();
  await stack.stop();
  await rm(folder, { recursive: true });
});

async function createPreviews(body: object) {
  const response = await fetch(`${stack.origin}/api/v1/previews`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return PreviewCreateResponse.strict().parse(await response.json());
}

/** Returns the number of rows of each table, outboxes included. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from ${name}`);
    counts[name] = rows[0]!.count;
  }
  return counts;
}
async function files(): Promise<string[]> {
  const entries = await readdir(blobFolder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('1,000 previews', () => {
  it('show the image, expire, and leave no row, event or file behind', async () => {
    const before = { rows: await rowCounts(), files: await files() };
    expect(Object.keys(before.rows).filter((name) => name.endsWith('.outbox')).length).toBeGreaterThan(3);
    const image = await artwork(300, 400);
    const placements = Array.from({ length: 50 }, (_, n) => ({ scale: 0.5, rotation: n, repeat: 'mirror' as const }));
    const urls: string[] = [];
    for (const [n, placement] of placements.entries()) {
      // Every tenth request has another image
      const texture = n % 10 === 0 ? await artwork(300, 400 + n) : image;
      const { previews, warnings } = await createPreviews({ texture, placement, size: 323 });
      expect([previews.length, warnings.length > 0]).toEqual([21, true]);
      const { imageUrl } = previews[n % previews.length]!;
      const response = await fetch(imageUrl);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
      await response.arrayBuffer();
      urls.push(imageUrl);
    }
    expect(urls.length * 21).toBeGreaterThan(1_000);
    expect((await files()).length).toBeGreaterThan(before.files.length);
    const after = async () => ({ rows: await rowCounts(), files: await files() });
    const deadline = Date.now() + 60_000;
    while (JSON.stringify(await after()) !== JSON.stringify(before) && Date.now() < deadline) await sleep(500);
    expect(await after()).toEqual(before);
    for (const url of urls) expect((await fetch(url)).status).toBe(410);
  });
});
