import type { z } from 'zod';
import type { Material, MaterialResponse, Product, ProductResponse } from '#contracts';
import { type Api, forAll } from './api.js';
import type { Ledger, LoadUser, ProductRecord, MaterialRecord } from './load.js';
import type { Notes } from './notes.js';

type Shown = z.output<typeof MaterialResponse>;
type ShownProduct = z.output<typeof ProductResponse>;

const namesOf = (titles: ReadonlySet<string>): string => [...titles].map((title) => `"${title}"`).join(' or ');

/** Checks that the lists of a user have all acknowledged resources once, and no others. */
export async function checkLists(api: Api, ledger: Ledger, user: LoadUser, notes: Notes): Promise<void> {
  const records = [...ledger.materials.values()].filter(({ userId }) => userId === user.id);
  const listed = await api.all<Material>('/api/v1/materials', 'materials', user);
  checkMaterials(records, listed, ledger, notes);
  const products = await api.all<Product>(`/api/v1/products?userId=${user.id}&`, 'products', user);
  checkProducts(records, products, notes);
}

function checkMaterials(records: readonly MaterialRecord[], listed: readonly Material[], ledger: Ledger, notes: Notes) {
  const titles = new Map(listed.map(({ id, title }) => [id, title]));
  if (titles.size < listed.length) notes.duplicated('a list of materials names one of them twice');
  for (const { id, titles: allowed, deleted } of records) {
    const title = titles.get(id);
    if (deleted === false && title === undefined) notes.lost(`material ${id} was created and is not in the list`);
    if (deleted === true && title !== undefined) notes.lost(`material ${id} was deleted and is in the list`);
    if (title !== undefined && !allowed.has(title))
      notes.lost(`material ${id} must be called ${namesOf(allowed)} and is called "${title}"`);
  }
  const known = new Set(records.map(({ id }) => id));
  const withoutResponse = new Set(ledger.maybeMade.keys());
  for (const { id, title } of listed)
    // One material per title may exist; another one with the same title is a duplicate
    if (!known.has(id) && !withoutResponse.delete(title))
      notes.duplicated(`material ${id} "${title}" is in the list without a response to its creation`);
}

function checkProducts(records: readonly MaterialRecord[], listed: readonly Product[], notes: Notes): void {
  const times = new Map<number, number>();
  for (const { id } of listed) times.set(id, (times.get(id) ?? 0) + 1);
  for (const [id, count] of times) if (count > 1) notes.duplicated(`product ${id} is in the list ${count} times`);
  const owner = new Map(records.flatMap(({ id, products }) => products.map((product) => [product.id, id] as const)));
  for (const { id, material } of listed)
    if (owner.get(id) !== material.id && records.some((record) => record.id === material.id))
      notes.duplicated(`product ${id} of material ${material.id} was never returned`);
  for (const { id, products, deleted } of records)
    for (const product of products) {
      if (deleted === false && !times.has(product.id))
        notes.lost(`product ${product.id} of material ${id} is not in the list`);
      if (deleted === true && times.has(product.id))
        notes.lost(`product ${product.id} of the deleted material ${id} is in the list`);
    }
}

/** Checks each material at its own URL, with its products and their images. */
export function checkSingles(
  api: Api,
  records: readonly MaterialRecord[],
  user: LoadUser,
  notes: Notes,
): Promise<void> {
  return forAll(records, async (record) => {
    if (record.deleted === 'unknown') return;
    await (record.deleted ? checkDeleted : checkShown)(api, record, user, notes);
  });
}

async function checkShown(api: Api, record: MaterialRecord, user: LoadUser, notes: Notes) {
  const { id, titles, products } = record;
  const { outcome, body } = await api.get(`/api/v1/materials/${id}`, user.apiKey);
  if (outcome !== 200) {
    notes.lost(`material ${id} was created and returns ${outcome}`);
    return;
  }
  const shown = body as Shown;
  if (!titles.has(shown.material.title))
    notes.lost(`material ${id} must be called ${namesOf(titles)} and is called "${shown.material.title}"`);
  const ids = shown.products.map((product) => product.id).toSorted();
  if (
    ids.join() !==
    products
      .map((product) => product.id)
      .toSorted()
      .join()
  )
    notes.wrong(
      `material ${id} must have the products ${products.map((product) => product.id).join()} and has ${ids.join()}`,
    );
  await forAll(products, async (product) => {
    const page = await api.get(`/api/v1/products/${product.id}`, user.apiKey);
    if (page.outcome !== 200) notes.lost(`product ${product.id} was created and returns ${page.outcome}`);
    else checkLooks((page.body as ShownProduct).product, product, record, notes);
    const image = await api.get(pathAndQueryOf(product.sampleImageUrl));
    if (image.outcome !== 200 || !image.contentType.startsWith('image/') || !image.body)
      notes.wrong(`the image of product ${product.id} returns ${image.outcome}, ${image.contentType}`);
  });
}

/** Checks the resize mode and the image URL of a product. */
function checkLooks(shown: Product, { id, ...made }: ProductRecord, { redrawing }: MaterialRecord, notes: Notes): void {
  const isMaybe = redrawing?.productId === id && redrawing.resizeMode === shown.resizeMode;
  if (isMaybe) return;
  if (shown.resizeMode !== made.resizeMode)
    notes.lost(`product ${id} must be ${made.resizeMode} and is ${shown.resizeMode}`);
  else if (shown.sampleImageUrl !== made.sampleImageUrl)
    notes.lost(`the image of product ${id} must be at ${made.sampleImageUrl} and is at ${shown.sampleImageUrl}`);
}

async function checkDeleted(api: Api, { id, products }: MaterialRecord, user: LoadUser, notes: Notes): Promise<void> {
  const { outcome } = await api.get(`/api/v1/materials/${id}`, user.apiKey);
  if (outcome !== 404) notes.lost(`material ${id} was deleted and returns ${outcome}`);
  await forAll(products, async (product) => {
    const page = await api.get(`/api/v1/products/${product.id}`, user.apiKey);
    if (page.outcome !== 404) notes.lost(`product ${product.id} of the deleted material ${id} returns ${page.outcome}`);
    const image = await api.get(pathAndQueryOf(product.sampleImageUrl));
    if (image.outcome !== 404) notes.wrong(`the image of the deleted product ${product.id} returns ${image.outcome}`);
  });
}

/** Returns path and query of a URL, independent of BASE_URL. */
const pathAndQueryOf = (url: string): string => new URL(url).pathname + new URL(url).search;
