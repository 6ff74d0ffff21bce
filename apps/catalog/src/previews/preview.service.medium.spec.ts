import {
  type PayloadOf,
  parsePreviewPath,
  PreviewCreateResponse,
  previewPath,
  problems,
  type Services,
} from '#contracts';
import { DomainError } from '#kernel';
import { type QueueClients } from '#request-queue';
import {
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';
import { settings } from '../testing/catalog-fixture.js';
import { type PreviewRequest } from './preview.rules.js';
import { PreviewService } from './preview.service.js';
import { PreviewSourceQueries } from './preview-source.queries.js';

const hash = 'b'.repeat(64);
const end = { expiresAt: 1_795_780_800, sweepAt: 1_795_781_000 };
const url = { kind: 'url', url: 'https://example.com/cat.png' } as const;

let stack: CatalogStack;
let previews: PreviewService;
let prepared: PayloadOf<Services['material-rendering'], 'previews.prepare'>[];
let rejection: DomainError | undefined;

beforeAll(async () => {
  stack = await catalogStack();
  const rendering = {
    call: (_message: string, payload: (typeof prepared)[number]) => {
      prepared.push(payload);
      if (rejection) return Promise.reject(rejection);
      return Promise.resolve({
        hash,
        key: 'preview-textures/1',
        width: 640,
        height: 480,
        dominantRgb: '#112233',
        ...end,
      });
    },
  };
  const clients = { of: () => rendering } as unknown as QueueClients;
  previews = new PreviewService(settings, stack.catalog, clients, new PreviewSourceQueries(stack.database));
});
afterAll(() => stack.close());
beforeEach(() => {
  prepared = [];
  rejection = undefined;
});

const request = (fields: Partial<PreviewRequest> = {}): PreviewRequest => ({
  viewerId: stack.hanako,
  materialId: null,
  items: 'all',
  colors: [],
  angles: [],
  size: 500,
  language: 'en',
  ...fields,
});
const imageIn = (imageUrl: string) => {
  const { origin, pathname, searchParams } = new URL(imageUrl);
  expect(origin).toBe(settings.baseUrl);
  return parsePreviewPath(pathname.slice(previewPath.length + 1), searchParams.get('h')!, settings.imageSigningSecret);
};

describe('PreviewService', () => {
  it('signs a URL for each item, color and angle', async () => {
    const response = await previews.create(
      request({
        texture: url,
        items: [shirt, mug],
        colors: ['white', 'black'],
        angles: ['front', 'back'],
        size: 323,
        placement: { scale: 0.5, rotation: 90 },
      }),
    );
    expect(PreviewCreateResponse.strict().safeParse(response).error).toBeUndefined();
    expect(prepared).toEqual([{ userId: stack.hanako, source: url }]);
    expect(response.previews.map(({ itemName, color, angle }) => `${itemName} ${color} ${angle}`)).toEqual([
      ...['t-shirt white front', 't-shirt white back', 't-shirt black front', 't-shirt black back'],
      ...['mug white front', 'mug black front'],
    ]);
    const { imageUrl, ...shown } = response.previews[3]!;
    expect(shown).toEqual({
      itemId: shirt,
      itemName: 't-shirt',
      color: 'black',
      angle: 'back',
      width: 323,
      height: 323,
      expiresAt: '2026-11-27 12:00:00 +0000',
    });
    expect(imageIn(imageUrl)).toMatchObject({
      itemName: 't-shirt',
      angle: 'back',
      rgb: '#000000',
      side: 323,
      place: 'front',
      resizeMode: 'contain',
      texture: { hash, key: 'preview-textures/1', width: 640, height: 480 },
      placed: { matrix: [0, 150, -112.5, 0, 206.25, 125], repeat: 'none' },
      oneOfMany: true,
      ...end,
    });
  });

  it('shows all items that can be printed, without a placement as fitted', async () => {
    const { previews: all } = await previews.create(request({ texture: url }));
    const { items } = await stack.catalog.current();
    expect(all.map(({ itemId }) => itemId)).toEqual(
      items.filter(({ isEmbroidery }) => !isEmbroidery).map(({ id }) => id),
    );
    expect(all).toHaveLength(21);
    for (const { imageUrl } of all) expect(imageIn(imageUrl)).toMatchObject({ placed: null, oneOfMany: true });
    const [one] = (await previews.create(request({ texture: url, items: [mug] }))).previews;
    expect(imageIn(one!.imageUrl)).toMatchObject({ oneOfMany: false });
  });

  it('warns as the creation of a material does', async () => {
    const { warnings } = await previews.create(request({ texture: url, items: [shirt], language: 'ja' }));
    expect(warnings.map(({ code }) => code)).toContain('low-resolution');
    const products = [wantedProduct(shirt)];
    const created = await stack.materials.create({
      viewerId: stack.hanako,
      texture: url,
      title: 'x',
      price: 0,
      description: null,
      products,
      language: 'ja',
    });
    expect((JSON.parse(created.body.toString()) as { warnings: unknown }).warnings).toEqual(warnings);
  });

  it('uses the texture of an own material', async () => {
    const { material } = await createMaterial(stack, stack.hanako);
    await previews.create(request({ materialId: material.id, items: [mug] }));
    const stored = await stack.images.imageSourceOf(material.id);
    expect(prepared).toEqual([{ userId: stack.hanako, source: { kind: 'stored', hash: stored.textureHash } }]);
  });

  it('rejects the materials of others, those with a violation and missing ones', async () => {
    const [hidden, shown, own] = await Promise.all([
      createMaterial(stack, stack.taro),
      createMaterial(stack, stack.taro, { products: [wantedProduct(mug)] }),
      createMaterial(stack, stack.hanako, { products: [wantedProduct(mug)] }),
    ]);
    await stack.materials.violate(own.material.id, 'copied');
    for (const [materialId, code] of [
      [hidden.material.id, 'material.not-found'],
      [shown.material.id, 'material.not-owned'],
      [own.material.id, 'material.not-found'],
      [999_999, 'material.not-found'],
    ] as const)
      await expect(previews.create(request({ materialId }))).rejects.toMatchObject({ kind: problems[code] });
    expect(prepared).toEqual([]);
  });

  it('validates items before it processes the image, and adds the path of a rejected image', async () => {
    const invalid = previews.create(request({ texture: url, items: [999] }));
    await expect(invalid).rejects.toMatchObject({ kind: problems['item.not-found'] });
    expect(prepared).toEqual([]);
    rejection = new DomainError(problems['texture.empty'], 'the image is empty');
    await expect(previews.create(request({ texture: url }))).rejects.toMatchObject({
      kind: problems['texture.empty'],
      errors: [{ path: 'body.texture', message: 'the image is empty' }],
    });
    rejection = new DomainError(problems['service.overloaded'], 'later', undefined, { 'retry-after': '1' });
    await expect(previews.create(request({ texture: url }))).rejects.toBe(rejection);
  });
});
