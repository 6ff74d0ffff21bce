import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { type Check, type Finding, maxFindings, type Stack } from './check.js';

const rowsPerQuery = 500;

interface TextureRow {
  readonly hash: string;
  readonly bytes: number;
  readonly key: string;
}

/**
 * Checks that the blob of each texture exists with its size; with `hash` also its SHA-256. A
 * finding about a texture that is deleted during the check does not recur.
 */
export const textureBlobs: Check = {
  name: 'Each texture is stored with its size, and with --hash its hash',
  run: async (stack) => {
    const findings: Finding[] = [];
    let checked = 0;
    for (let last = '', rows: TextureRow[] = []; ;) {
      ({ rows } = await stack.database.query<TextureRow>(
        `select hash, bytes, coalesce(blob_key, 'textures/' || hash) as key from rendering.textures where hash > $1 order by hash limit ${rowsPerQuery}`,
        [last],
      ));
      for (const row of rows) {
        const what = await blobProblem(stack, row);
        if (what !== null) findings.push({ what: `texture ${row.hash}: ${what}` });
      }
      checked += rows.length;
      if (rows.length < rowsPerQuery || findings.length >= maxFindings) return { checked, findings };
      last = rows.at(-1)!.hash;
    }
  },
};

/** Blobs of imported items. */
export const itemBlobs = `
  select distinct blob ->> 'key' as key, (blob ->> 'bytes')::integer as bytes, blob ->> 'sha256' as sha256
  from catalog.items cross join lateral jsonb_array_elements(blobs) blob order by key`;

/** Checks the layers and icons of imported items as `textureBlobs` checks textures. */
export const importedBlobs: Check = {
  name: 'The layers and icons of imported items are stored',
  run: async (stack) => {
    const { rows } = await stack.database.query<{ key: string; bytes: number; sha256: string }>(itemBlobs);
    const findings: Finding[] = [];
    for (const { key, bytes, sha256: hash } of rows) {
      const what = await blobProblem(stack, { key, bytes, hash });
      if (what !== null) findings.push({ what: `${key}: ${what}; import the bundle again` });
    }
    return { checked: rows.length, findings };
  },
};

async function blobProblem({ blobs, hash: reads }: Stack, { hash, bytes, key }: TextureRow): Promise<string | null> {
  const stored = await blobs.stat(key);
  if (stored === null) return 'missing';
  if (stored.size !== bytes) return `${stored.size} bytes instead of ${bytes}`;
  if (!reads) return null;
  const sum = createHash('sha256');
  const blob = await blobs.read(key);
  if (blob === null) return 'missing';
  await pipeline(blob, sum);
  return sum.digest('hex') === hash ? null : 'other bytes';
}

/**
 * Lists a folder of the blob store and passes the ids of its keys to `sql` in batches; `sql`
 * returns the ids that exist. Reports one key per missing id of a batch, and stops after
 * `maxFindings`.
 */
async function unreferencedBlobs(
  { blobs, database }: Stack,
  folder: string,
  idOf: (key: string) => string,
  sql: string,
): Promise<{ checked: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  let checked = 0;
  let batch = new Map<string, string>();
  const compare = async (): Promise<void> => {
    const { rows } = await database.query<{ id: string }>(sql, [[...batch.keys()]]);
    for (const { id } of rows) batch.delete(id);
    findings.push(...[...batch.values()].map((what) => ({ what })));
    batch = new Map();
  };
  for await (const key of blobs.list(folder)) {
    checked += 1;
    batch.set(idOf(key), key);
    if (batch.size >= rowsPerQuery) await compare();
    if (findings.length >= maxFindings) break;
  }
  await compare();
  return { checked, findings: findings.sort((one, other) => (one.what < other.what ? -1 : 1)) };
}

const partOf = (key: string, index: number): string => key.split('/')[index]!;
const materialOf = (key: string): string => partOf(key, 1);
const isId = (id: string): boolean => /^\d{1,18}$/.test(id);
const materials = 'select id::text as id from catalog.materials where id = any($1::bigint[])';

/**
 * Checks that find blobs without a row in the database, and old uploads. Such blobs take space and
 * have no effect.
 */
export const unreferencedBlobChecks: readonly Check[] = [
  {
    name: 'Each stored texture has a row',
    isNote: true,
    run: (stack) =>
      unreferencedBlobs(
        stack,
        'textures',
        (key) => key,
        `select key as id from unnest($1::text[]) key where split_part(split_part(key, '/', 2), '.', 1) in
           (select hash from rendering.textures t where coalesce(blob_key, 'textures/' || hash) = key)
         union all select key from rendering.discarded_blobs where key = any($1)`,
      ),
  },
  ...['images', 'drawn'].map((folder) => ({
    name: `The material of each image in ${folder}/ exists`,
    isNote: true as const,
    run: (stack: Stack) =>
      unreferencedBlobs(stack, folder, (key) => (isId(materialOf(key)) ? materialOf(key) : '0'), materials),
  })),
  {
    name: 'Each image in drawn/ has a row',
    isNote: true,
    run: (stack) =>
      unreferencedBlobs(
        stack,
        'drawn',
        (key) => key,
        'select key as id from rendering.drawn_images where key = any($1)',
      ),
  },
  {
    name: 'No upload is older than two hours',
    isNote: true,
    run: async ({ blobs }) => {
      const findings: Finding[] = [];
      let checked = 0;
      for await (const { key, modifiedAt } of blobs.listStats('uploads')) {
        checked += 1;
        // An upload is used by its request only, and swept after an hour
        if (Date.now() - modifiedAt.getTime() > 7_200_000) findings.push({ what: key });
      }
      return { checked, findings };
    },
  },
];
