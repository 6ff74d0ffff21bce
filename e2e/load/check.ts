import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { QueuedEvents } from '#events';
import { openBlobStore } from '#storage';
import type { Fleet } from '../fleet/fleet.js';
import { verify } from '../../apps/operator/src/verify/verify.js';
import { Api, forAll } from './api.js';
import { checkFavoriteActivities, checkMaterialActivities, checkTotals } from './check-database.js';
import { checkEvents } from './check-events.js';
import { checkFavorites, existingFavorites } from './check-favorites.js';
import { checkLists, checkSingles } from './check-materials.js';
import { checkImages } from './check-images.js';
import type { Findings, Ledger, MaterialRecord } from './load.js';
import { Notes } from './notes.js';
import { ImageSources } from './image-sources.js';
import { untilSettled } from './settled.js';

/** Parts of a fleet that a check reads: gateways, database as its owner, both Redis, blobs. */
interface Checked extends Pick<Fleet, 'baseUrls' | 'blobFolder'> {
  readonly servers: Readonly<Record<'postgres' | 'requests' | 'jobs', { readonly url: string }>>;
}

/**
 * Progress of checks by ledger. Materials written since the previous check are requested one by
 * one; older ones are checked in lists, totals and stored images only.
 */
const checked = new WeakMap<Ledger, { readonly revision: number; readonly objections: number }>();

/**
 * Compares acknowledged writes with the stored data, after background work has finished. The load
 * must be at rest.
 *
 * @throws Error if a store or the API cannot be read
 */
export async function check(fleet: Checked, ledger: Ledger): Promise<Findings> {
  const before = checked.get(ledger) ?? { revision: 0, objections: 0 };
  const notes = new Notes();
  for (const sentence of ledger.objections.slice(before.objections)) notes.wrong(sentence);
  const settledMs = await checkDatabase(fleet, ledger, notes);
  await checkStores(fleet, notes);
  // Before API requests, which render missing images
  await checkStoredImages(fleet, ledger, notes);
  const fresh = [...ledger.materials.values()].filter(({ revision }) => revision > before.revision);
  await checkApi(fleet, ledger, fresh, notes);
  checked.set(ledger, { revision: ledger.revision, objections: ledger.objections.length });
  return notes.findings(settledMs);
}

/** Checks the database. Returns the milliseconds until background work has finished. */
async function checkDatabase({ servers }: Checked, ledger: Ledger, notes: Notes): Promise<number> {
  const database = new pg.Client({ connectionString: servers.postgres.url });
  const queued = new QueuedEvents(servers.jobs.url);
  try {
    await database.connect();
    const settledMs = await untilSettled(database, queued, notes);
    await checkFavoriteActivities(database, ledger, notes);
    await checkMaterialActivities(database, ledger, notes);
    await checkTotals(database, ledger, notes);
    await checkEvents(database, ledger, notes);
    return settledMs;
  } finally {
    queued.close();
    await database.end();
  }
}

/** Runs `operator verify`. */
async function checkStores({ servers, blobFolder }: Checked, notes: Notes): Promise<void> {
  const { postgres, jobs } = servers;
  const stores = { databaseUrl: postgres.url, jobsUrl: jobs.url, blobStoreUrl: pathToFileURL(blobFolder).href };
  const lines = await verify(stores, { pauseMs: 500 });
  for (const { check: name, wrong, isNote, examples } of lines)
    if (wrong > 0 && !isNote) notes.wrong(`verify, ${name}: ${wrong}, among them ${examples.slice(0, 3).join('; ')}`);
}

async function checkStoredImages({ servers, blobFolder }: Checked, ledger: Ledger, notes: Notes): Promise<void> {
  const sources = await ImageSources.open(servers.requests.url);
  const blobs = openBlobStore(pathToFileURL(blobFolder).href);
  try {
    await checkImages(blobs, ledger.materials.values(), (id) => sources.of(id), notes);
  } finally {
    await sources.close();
  }
}

async function checkApi(
  { baseUrls }: Checked,
  ledger: Ledger,
  fresh: readonly MaterialRecord[],
  notes: Notes,
): Promise<void> {
  const api = new Api(baseUrls);
  const existing = existingFavorites(ledger);
  try {
    await forAll(ledger.users, async (user) => {
      await checkLists(api, ledger, user, notes);
      await checkFavorites(api, existing, user, notes);
      await checkSingles(
        api,
        fresh.filter(({ userId }) => userId === user.id),
        user,
        notes,
      );
    });
  } finally {
    await api.close();
  }
}
