import { migrationTester, type MigrationTester } from '#testing';
import { AssignOwnIds } from './20261128T190000-assign-own-ids.js';
import { OrderResizeModes } from './20261129T045500-order-resize-modes.js';
import { migrations } from './index.js';

let tested: MigrationTester;

beforeAll(async () => {
  tested = await migrationTester('catalog', migrations);
});
afterAll(() => tested.close());

it('migrations drop all their objects when they are reverted, and create the same objects again', async () => {
  const { before, between, after } = await tested.revertAndReapply();
  expect(before).toContain('item_variants_of_item');
  expect(between).toEqual([]);
  expect(after).toEqual(before);
});

it('migrations that run without a transaction can be repeated in both directions', async () => {
  const before = await tested.listObjects();
  expect([...new Set((await tested.repeatNonTransactional()).map(String))]).toEqual([String(before)]);
});

it('the sequence of own ids starts above the ids that are assigned', async () => {
  const runner = tested.owner.createQueryRunner();
  await runner.query(`insert into colors values (100000041, 'lime', '{"ja": "x", "en": "x"}', '#a0e020')`);
  await new AssignOwnIds().down(runner);
  await new AssignOwnIds().up(runner);
  expect(await runner.query(`select nextval('own_ids')::integer as id`)).toEqual([{ id: 100_000_042 }]);
  await runner.query('delete from colors');
  await runner.release();
});

it('items retain cover as their default resize mode, of the notebook only existing products', async () => {
  const runner = tested.owner.createQueryRunner();
  await runner.startTransaction();
  const names = `'{"ja": "x", "en": "x"}'`;
  await runner.query(`insert into categories values ('tops', ${names}, 1)`);
  await runner.query(
    `insert into items (id, name, display_name, category_name, display_order, is_embroidery, resize_modes,
       available_print_places, default_print_place, print_place_display_names, print_areas, angles, image_descriptions,
       exemplary_variant_id, enabled, version, bundle_hash)
     select n, (array['note', 'phone', 'own'])[n], ${names}, 'tops', 1, false, '{contain,cover}', '{front}', 'front', '{}', '{}',
       '[]', '{}', n, true, n / 3, case n when 3 then 'hash' end from generate_series(1, 3) as n`,
  );
  await runner.query(
    `insert into colors values (1, 'white', ${names}, '#ffffff');
     insert into sizes values (1, 'm', ${names});
     insert into item_variants select n, n, 1, 1, 100, true, n from generate_series(1, 2) as n;
     insert into materials (user_id, title, price, published, texture_hash, texture_format, original_width, original_height)
       values (1, 'Cat', 0, false, repeat('a', 64), 'png', 10, 10);
     insert into products (material_id, user_id, item_id, exemplary_variant_id, published)
       select m.id, 1, n, n, false from materials m, generate_series(1, 2) as n`,
  );
  await new OrderResizeModes().up(runner);
  expect(await runner.query('select name, resize_modes as modes from items order by id')).toEqual([
    { name: 'note', modes: ['contain', 'cover'] },
    { name: 'phone', modes: ['cover', 'contain'] },
    { name: 'own', modes: ['cover', 'contain'] },
  ]);
  expect(await runner.query('select resize_mode as mode from products order by item_id')).toEqual([
    { mode: 'cover' },
    { mode: null },
  ]);
  await runner.rollbackTransaction();
  await runner.release();
});
