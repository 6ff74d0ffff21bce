import { PrintFilesResponse, type PrintOrder, type StoredPrintFiles } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { type QueueClients } from '#request-queue';
import { catalogStack, type CatalogStack, createMaterial, shirt, wantedProduct } from '../testing/catalog-stack.js';
import { settings } from '../testing/catalog-fixture.js';
import { PrintFileService } from './print-file.service.js';
import { PrintedProductQueries } from './printed-product.queries.js';

const sha256 = 'c'.repeat(64);
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

let stack: CatalogStack;
let service: PrintFileService;
let orders: PrintOrder[];
let stored: StoredPrintFiles;
let productId: number;

beforeAll(async () => {
  stack = await catalogStack();
  const rendering = {
    call: (message: string, payload: PrintOrder) => {
      if (message === 'print-files.request') orders.push(payload);
      return Promise.resolve(stored);
    },
  };
  const clients = { of: () => rendering } as unknown as QueueClients;
  const { catalog, database } = stack;
  const products = new PrintedProductQueries(database);
  service = new PrintFileService(settings, catalog, clients, database, products, new IdempotencyKeys(database));
  const placement = { scale: 0.5, x: 0.1 };
  const created = await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt, { placement })] });
  productId = created.products[0]!.id;
});
afterAll(() => stack.close());
beforeEach(() => {
  orders = [];
  stored = {
    id: 5,
    status: 'waiting',
    progress: 0,
    files: [],
    ticket: null,
    warnings: [],
    storedUntil: inDays(7),
  };
});

const create = async (viewerId: number, { key, ofAnyOwner = false }: { key?: string; ofAnyOwner?: boolean } = {}) => {
  const idempotency = key === undefined ? undefined : { key, fingerprint: 'f' };
  const reply = await service.create({ viewerId, productId, ofAnyOwner, ...(idempotency && { idempotency }) });
  return { status: reply.status, body: JSON.parse(reply.body.toString()) as object };
};

describe('PrintFileService', () => {
  it('orders the files of an own product with its matrix', async () => {
    const { status, body } = await create(stack.hanako);
    expect([status, PrintFilesResponse.strict().parse(body)]).toEqual([
      202,
      { printFiles: { id: 5, status: 'waiting', progress: 0, files: [], ticketUrl: null, warnings: [] } },
    ]);
    const [[placement]] = [
      await stack.database.query<{ placement: { matrix: number[] } }>('select placement from products where id = $1', [
        productId,
      ]),
    ];
    expect(orders).toMatchObject([
      {
        userId: stack.hanako,
        productId,
        places: [{ place: 'front', placed: { matrix: placement!.placement.matrix } }],
      },
    ]);
  });

  it('rejects another user: 403 for a visible product, 404 for a hidden one', async () => {
    await expect(create(stack.taro)).rejects.toMatchObject({ kind: { code: 'product.not-owned', status: 403 } });
    await stack.database.query('update products set published = false where id = $1', [productId]);
    await expect(create(stack.taro)).rejects.toMatchObject({ kind: { code: 'product.not-found', status: 404 } });
    const read = service.get({ viewerId: stack.taro, productId, ofAnyOwner: false, printFilesId: 5 });
    await expect(read).rejects.toMatchObject({ kind: { code: 'product.not-found' } });
    await stack.database.query('update products set published = true where id = $1', [productId]);
    expect(orders).toEqual([]);
  });

  it('permits products of any owner with the scope production, published or not', async () => {
    for (const published of [true, false]) {
      await stack.database.query('update products set published = $2 where id = $1', [productId, published]);
      expect(await create(stack.taro, { ofAnyOwner: true })).toMatchObject({ status: 202 });
      const request = { viewerId: stack.taro, productId, ofAnyOwner: true, printFilesId: 5 };
      expect(await service.get(request)).toMatchObject({ printFiles: { id: 5 } });
    }
    expect(orders).toMatchObject([{ userId: stack.hanako }, { userId: stack.hanako }]);
    await stack.database.query('update products set published = true where id = $1', [productId]);
  });

  it('rejects a print on a place that the item no longer has', async () => {
    const print = { place: 'gone', textureHash: sha256, enabled: true, artwork: null };
    await stack.database.query('update products set prints = $1 where id = $2', [JSON.stringify([print]), productId]);
    await expect(create(stack.hanako)).rejects.toMatchObject({
      kind: { code: 'print-place.not-of-item' },
      errors: [{ path: 'params.productId' }],
    });
    await stack.database.query(`update products set prints = '[]' where id = $1`, [productId]);
    expect(orders).toEqual([]);
  });

  it('returns URLs that are valid for a day, and not longer than the files are stored', async () => {
    stored = {
      ...stored,
      status: 'ready',
      progress: 100,
      files: [{ place: 'front', format: 'tiff', width: 10, height: 20, dpi: 150, colorSpace: 'rgb', sha256 }],
      ticket: sha256,
    };
    const read = () => service.get({ viewerId: stack.hanako, productId, ofAnyOwner: false, printFilesId: 5 });
    const { printFiles } = await read();
    expect(printFiles.files[0]!.url).toContain(`${settings.baseUrl}/images/v1/print-files/5/${sha256}.tif?expires=`);
    expect(printFiles.ticketUrl).toContain(`/images/v1/print-files/5/${sha256}.json?expires=`);
    const hours = (Date.parse(printFiles.files[0]!.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
    stored.storedUntil = inDays(0.5);
    const sooner = (await read()).printFiles.files[0]!.expiresAt;
    expect((Date.parse(sooner) - Date.now()) / 3_600_000).toBeCloseTo(12, 1);
  });
});
