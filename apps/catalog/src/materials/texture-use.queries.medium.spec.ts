import { type CatalogStack, catalogStack, createMaterial, shirt, wantedProduct } from '../testing/catalog-stack.js';
import { TextureUseQueries } from './texture-use.queries.js';

let stack: CatalogStack;

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());

it('finds textures of materials and of additional prints, by user and for any user', async () => {
  const queries = new TextureUseQueries(stack.database);
  const image = (name: string) => ({ kind: 'url', url: `https://example.com/${name}.png` }) as const;
  const prints = [{ texture: image('back'), printSide: 'back' as const, enabled: true }];
  const { material } = await createMaterial(stack, stack.taro, {
    texture: image('front'),
    products: [wantedProduct(shirt, { sub_materials: prints })],
  });
  const rows = await stack.database.query<{ front: string; back: string }>(
    `select texture_hash as front, prints -> 0 ->> 'textureHash' as back
     from materials m join products p on p.material_id = m.id`,
  );
  const { front, back } = rows[0]!;
  const references = [stack.taro, stack.hanako, 0].flatMap((userId) => [front, back].map((hash) => ({ userId, hash })));
  const used = references.filter(({ userId }) => userId !== stack.hanako);
  expect(await queries.usedOf([...references, { userId: 0, hash: 'f'.repeat(64) }])).toEqual(used);
  await stack.database.query('delete from outbox');
  await stack.materials.delete(stack.taro, material.id);
  expect(await queries.usedOf(references)).toEqual([]);
  const [deleted] = await stack.database.query<{ textures: string[] }>(
    `select payload -> 'textures' as textures from outbox where name = 'material.deleted'`,
  );
  expect(deleted!.textures).toEqual([front, back]);
});
