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

it('imported items retain cover as their default resize mode', async () => {
  const runner = tested.owner.createQueryRunner();
  await runner.startTransaction();
  const names = `'{"ja": "x", "en": "x"}'`;
  await runner.query(`insert into categories values ('tops', ${names}, 1)`);
  await runner.query(
    `insert into items (id, name, display_name, category_name, display_order, is_embroidery, resize_modes,
       available_print_places, default_print_place, print_place_display_names, print_areas, angles, image_descriptions,
       exemplary_variant_id, enabled, version, bundle_hash)
     select version + 1, 'item-' || version, ${names}, 'tops', 1, false, '{contain,cover}', '{front}', 'front', '{}', '{}', '[]',
       '{}', 1, true, version, case version when 1 then 'hash' end from generate_series(0, 1) as version`,
  );
  await new OrderResizeModes().up(runner);
  expect(await runner.query('select resize_modes as modes from items order by version')).toEqual([
    { modes: ['contain', 'cover'] },
    { modes: ['cover', 'contain'] },
  ]);
  await runner.rollbackTransaction();
  await runner.release();
});
