import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type RunningPostgres } from './postgres.js';
import { postgresPrograms } from './postgres-programs.js';
import { isAlive, waitForExit } from '../system/run.js';

async function query<Row extends pg.QueryResultRow>(server: RunningPostgres, sql: string): Promise<Row[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  let dataDir: string;
  let server: RunningPostgres;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-postgres-'));
    dataDir = join(folder, 'postgres');
    server = await startPostgres({ dataDir, durable: false });
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('supports letters beyond ASCII in lower() and trigrams', async () => {
    await query(server, 'create extension pg_trgm');
    const [row] = await query<{ lower: string; trigrams: string[] }>(
      server,
      "select lower('ＡＢＣ É') as lower, show_trgm('東京タワー') as trigrams",
    );
    expect(row?.lower).toBe('ａｂｃ é');
    expect(row?.trigrams.length).toBeGreaterThan(3);
  });

  it('listens on loopback only and requires the password', async () => {
    const [row] = await query<{ listen_addresses: string }>(server, 'show listen_addresses');
    expect(row?.listen_addresses).toBe('127.0.0.1');
    const stranger = new pg.Client({ host: '127.0.0.1', port: server.port, user: 'storefront', password: 'guess' });
    await expect(stranger.connect()).rejects.toThrow(/password authentication failed/);
  });

  it('retains its data across a restart', async () => {
    await query(server, 'create table retained as select 7 as value');
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    server = await startPostgres({ dataDir, durable: false, port: server.port });
    expect(await query(server, 'select value from retained')).toEqual([{ value: 7 }]);
  });

  it('starts with a stale pid file whose id is in use by another process', async () => {
    const { runAs } = await postgresPrograms();
    process.kill(server.pid, 'SIGKILL');
    await waitForExit(server.pid, 5_000);
    const otherProcess = spawn('sleep', ['60'], { ...runAs });
    const pidFile = join(dataDir, 'data', 'postmaster.pid');
    const [, ...rest] = (await readFile(pidFile, 'utf8')).split('\n');
    await writeFile(pidFile, [otherProcess.pid, ...rest].join('\n'));
    server = await startPostgres({ dataDir, durable: false });
    expect(await query(server, 'select value from retained')).toEqual([{ value: 7 }]);
    expect(isAlive(otherProcess.pid!)).toBe(true);
    otherProcess.kill();
  });

  it('stops a server that a killed supervisor left running', async () => {
    const before = server.pid;
    server = await startPostgres({ dataDir, durable: false });
    expect(isAlive(before)).toBe(false);
    expect(await query(server, 'select value from retained')).toEqual([{ value: 7 }]);
  });

  it('works in a folder that other users cannot read', async () => {
    const closed = join(folder, 'home');
    await mkdir(closed);
    await chmod(closed, 0o700);
    const other = await startPostgres({ dataDir: join(closed, 'data'), durable: false });
    expect(await query(other, 'select 1 as one')).toEqual([{ one: 1 }]);
    await other.stop();
    expect(isAlive(other.pid)).toBe(false);
  });

  it('reports a used port in one line', async () => {
    const otherServer = createServer();
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as { port: number };
    const start = startPostgres({ dataDir: join(folder, 'second'), durable: false, port });
    await expect(start).rejects.toThrow(new RegExp(`^PostgreSQL does not start on port ${port}: .*$`));
    otherServer.close();
  });
});
