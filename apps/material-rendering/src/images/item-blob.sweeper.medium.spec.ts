import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { takeBackupLock } from '#persistence';
import { type QueueClients } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import { ItemBlobSweeper } from './item-blob.sweeper.js';

let db: TestDatabase;
let folder: string;
let blobs: FolderBlobStore;
let sweeper: ItemBlobSweeper;
/** Keys that items use. */
let used: string[];
/** Runs during the call of the catalog. */
let duringCall: () => Promise<void>;

const [first, second, icon, texture] = ['layers/aa', 'layers/bb', 'icons/aa.svg', 'textures/aa'] as const;
const now = new Date();

beforeEach(async () => {
  db = await testDatabase('material-rendering', []);
  folder = await mkdtemp(join(tmpdir(), 'item-blobs-'));
  blobs = new FolderBlobStore(folder);
  used = [];
  duringCall = () => Promise.resolve();
  const call = async (_: string, { keys }: { keys: string[] }) => {
    await duringCall();
    return { keys: keys.filter((key) => used.includes(key)) };
  };
  const clients = { of: () => ({ call }) } as unknown as QueueClients;
  sweeper = new ItemBlobSweeper(db.database, blobs, clients, pino({ level: 'silent' }));
  for (const key of [first, second, icon, texture]) await putOld(key);
});
afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

async function putOld(key: string): Promise<void> {
  await blobs.put(key, Buffer.from(key));
  const then = new Date(now.getTime() - 25 * 3_600_000);
  await utimes(join(folder, key), then, then);
}

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of ['layers', 'icons', 'textures']) for await (const key of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

describe('ItemBlobSweeper', () => {
  it('deletes layers and icons that no item uses in two sweeps, and nothing else', async () => {
    used = [second];
    expect(await sweeper.sweep(now)).toBe(0);
    expect(await stored()).toEqual([icon, first, second, texture]);
    expect(await sweeper.sweep(now)).toBe(2);
    expect(await stored()).toEqual([second, texture]);
  });

  it('deletes no blob that is used again between two sweeps', async () => {
    await sweeper.sweep(now);
    used = [first, second, icon];
    await sweeper.sweep(now);
    used = [];
    expect(await sweeper.sweep(now)).toBe(0);
    expect(await stored()).toEqual([icon, first, second, texture]);
  });

  it('deletes no blob of an import in progress, also if the blob existed before', async () => {
    used = [second, icon];
    await sweeper.sweep(now);
    duringCall = () => blobs.put(first, Buffer.from('a'));
    expect(await sweeper.sweep(now)).toBe(0);
    expect(await stored()).toContain(first);
  });

  it('puts back the blob of an import that has ended during the deletion', async () => {
    used = [second, icon];
    await sweeper.sweep(now);
    const remove = blobs.delete.bind(blobs);
    blobs.delete = async (key) => {
      await blobs.put(key, Buffer.from(key));
      used = [first, second, icon];
      await remove(key);
    };
    expect(await sweeper.sweep(now)).toBe(0);
    expect((await blobs.get(first))?.toString()).toBe(first);
  });

  it('puts back a blob if the catalog does not reply after the deletion', async () => {
    await sweeper.sweep(now);
    const remove = blobs.delete.bind(blobs);
    blobs.delete = async (key) => {
      await remove(key);
      duringCall = () => Promise.reject(new Error('no catalog'));
    };
    await expect(sweeper.sweep(now)).rejects.toThrow('no catalog');
    expect(await stored()).toEqual([icon, first, second, texture]);
  });

  it('deletes nothing during a backup, and nothing without a reply of the catalog', async () => {
    await sweeper.sweep(now);
    const owner = new pg.Client(db.url);
    await owner.connect();
    await owner.query(takeBackupLock);
    expect(await sweeper.sweep(now)).toBe(0);
    await owner.end();
    const clients = { of: () => ({ call: () => Promise.reject(new Error('no catalog')) }) } as unknown as QueueClients;
    const alone = new ItemBlobSweeper(db.database, blobs, clients, pino({ level: 'silent' }));
    await expect(alone.sweep(now)).rejects.toThrow('no catalog');
    expect(await stored()).toHaveLength(4);
  });
});
