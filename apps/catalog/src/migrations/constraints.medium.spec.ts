import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

const names = `'{"ja": "x", "en": "x"}'`;

beforeAll(async () => {
  constraints = await testConstraints(
    'catalog',
    `begin;
     insert into colors values (1, 'white', ${names}, '#ffffff'), (2, 'black', ${names}, '#000000');
     insert into sizes values (1, 'm', ${names}), (2, 'l', ${names});
     insert into categories values ('tops', ${names}, 1);
     insert into items select n, 'item-' || n, ${names}, 'tops', n, false, '{contain}', '{front}', 'front', '{}', '{}', '{}',
       '{}', n, true from generate_series(1, 2) n;
     insert into item_variants values (1, 1, 1, 1, 100, true, 1), (2, 2, 1, 1, 100, true, 1), (3, 1, 2, 1, 100, true, 2);
     insert into print_places values (1, 1, 'front', 10), (2, 1, 'back', 10);
     insert into materials (user_id, title, price, published, texture_hash, texture_format, original_width, original_height)
       values (1, 'Cat', 0, false, repeat('a', 64), 'png', 10, 10);
     insert into products (material_id, user_id, item_id, exemplary_variant_id, published) select id, 1, 1, 1, false from materials;
     insert into sales (name, item_id, percent, starts_at) values ('Sale', 1, 10, now());
     insert into purchases (external_id, product_id, variant_id, quantity) values ('A-1', 1, 1, 1);
     insert into banners (display_size, image_url) values ('large', 'https://example.com/b.png');
     insert into promotions (name, category, url) values ('x', 'x', 'https://example.com');
     commit`,
  );
});
afterAll(() => constraints.close());

const tooDear = 1_000_000_001;
const dearest = (table: string) => `update ${table} set price = ${tooDear}`;
const script = (table: string, column: string) => `update ${table} set ${column} = 'javascript:alert(1)'`;
const noNames = (table: string) => `update ${table} set display_name = '{"en": "x"}'`;
const badName = (table: string, of = '') => `update ${table} set name = 'A b' ${of}`;
const noId = (table: string) => `update ${table} set id = 0 where id = 2`;

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  colors_id_check: noId('colors'),
  colors_name_check: badName('colors', 'where id = 1'),
  colors_name_unique: `update colors set name = 'white'`,
  colors_display_name_check: noNames('colors'),
  colors_rgb_check: `update colors set rgb = 'red'`,
  sizes_id_check: noId('sizes'),
  sizes_name_check: badName('sizes', 'where id = 1'),
  sizes_name_unique: `update sizes set name = 'm'`,
  sizes_display_name_check: noNames('sizes'),
  categories_name_check: badName('categories'),
  categories_display_name_check: noNames('categories'),
  items_bundle: 'update items set version = 1 where id = 1',
  items_layers: `update items set layers = 'none' where id = 1`,
  items_id_check: noId('items'),
  items_name_check: badName('items', 'where id = 1'),
  items_name_unique: `update items set name = 'item-1'`,
  items_display_name_check: noNames('items'),
  items_category_name_fkey: `update items set category_name = 'none'`,
  items_resize_modes_check: `update items set resize_modes = '{stretch}'`,
  items_default_print_place: `update items set default_print_place = 'sleeve'`,
  items_exemplary_variant: 'update items set exemplary_variant_id = 2 where id = 1',
  item_variants_id_check: 'update item_variants set id = 0 where id = 3',
  item_variants_item_id_fkey: 'update item_variants set item_id = 99 where id = 3',
  item_variants_color_id_fkey: 'update item_variants set color_id = 99 where id = 3',
  item_variants_size_id_fkey: 'update item_variants set size_id = 99 where id = 3',
  item_variants_price_check: 'update item_variants set price = -1',
  item_variants_price_bound: dearest('item_variants'),
  item_variants_combination_unique: 'update item_variants set color_id = 1 where id = 3',
  item_variants_of_item:
    'alter table item_variants drop constraint item_variants_pkey cascade; insert into item_variants values (3, 1, 2, 2, 1, true, 3)',
  print_places_id_check: noId('print_places'),
  print_places_item_variant_id_fkey: 'update print_places set item_variant_id = 99',
  print_places_price_check: 'update print_places set price = -1',
  print_places_price_bound: dearest('print_places'),
  print_places_place_unique: `update print_places set place = 'front'`,
  materials_user_id_check: 'update materials set user_id = 0',
  materials_title_check: `update materials set title = ''`,
  materials_description_check: `update materials set description = repeat('x', 10001)`,
  materials_price_check: 'update materials set price = -1',
  materials_price_bound: dearest('materials'),
  materials_texture_hash_check: `update materials set texture_hash = 'x'`,
  materials_texture_format: `update materials set texture_format = 'tiff'`,
  materials_original_width_check: 'update materials set original_width = 0',
  materials_original_height_check: 'update materials set original_height = 0',
  materials_sides: 'update materials set original_height = 16385',
  materials_dominant_rgb_check: `update materials set dominant_rgb = 'red'`,
  materials_published_at: 'update materials set published = true',
  materials_violation_reason: `update materials set violation_reason = ''`,
  materials_revision: 'update materials set revision = -1',
  materials_copied_key:
    'alter table materials drop constraint materials_pkey; insert into materials overriding system value select * from materials',
  products_material_item_key: `insert into products (material_id, user_id, item_id, exemplary_variant_id, published)
    select material_id, 1, 1, 3, false from products`,
  products_material_fk: 'update products set user_id = 2',
  products_item_fk: 'alter table products drop constraint products_variant_fk; update products set item_id = 99',
  products_variant_fk: 'update products set exemplary_variant_id = 2',
  products_resize_mode_check: `update products set resize_mode = 'stretch'`,
  products_published_at: 'update products set published = true',
  products_placement: `update products set placement = '{"scale": 1}'`,
  products_prints_check: `alter table products drop constraint products_prints_count; update products set prints = '{}'`,
  products_prints_count: `update products set prints = (select jsonb_agg(n) from generate_series(1, 11) n)`,
  products_prints_placement: `update products set prints = '[{"place": "back", "placement": {"scale": 1}}]'`,
  products_revision: 'update products set revision = -1',
  products_image_revision: 'update products set image_revision = -1',
  sales_name_check: `update sales set name = ''`,
  sales_percent_check: 'update sales set percent = 101',
  sales_amount_check: 'update sales set percent = null, amount = 0',
  sales_one_target: 'update sales set user_id = 1',
  sales_one_discount: 'update sales set amount = 1',
  sales_ends_after_start: `update sales set ends_at = created_at + interval '1 hour', starts_at = created_at + interval '2 hours'`,
  sales_ends_later: `update sales set starts_at = created_at - interval '2 hours', ends_at = created_at - interval '1 hour'`,
  sales_user: 'update sales set item_id = null, user_id = 0',
  sales_item_fk: 'update sales set item_id = 99',
  sales_product_fk: 'update sales set item_id = null, product_id = 99',
  purchases_external_id: `update purchases set external_id = 'Purchase-7'`,
  purchases_external_id_key: `insert into purchases (external_id, product_id, variant_id, quantity) values ('a-1', 1, 1, 1)`,
  purchases_quantity: 'update purchases set quantity = 0',
  purchases_buyer: 'update purchases set buyer_id = 0',
  banners_display_size_check: `update banners set display_size = ''`,
  banners_image_url: script('banners', 'image_url'),
  banners_alt_text: `update banners set alt_text = ''`,
  banners_link_url: `update banners set alt_text = 'x', link_url = 'javascript:alert(1)'`,
  banners_link_name: `update banners set link_url = 'https://example.com'`,
  promotions_name_check: `update promotions set name = ''`,
  promotions_category_check: `update promotions set category = ''`,
  promotions_url: script('promotions', 'url'),
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});

it.each(['.A', 'A.', 'A/B', '../A', 'A B', ' ', '', 'x'.repeat(65)])(
  'constraints reject the external id "%s"',
  async (externalId) => {
    const change = `update purchases set external_id = '${externalId}'`;
    expect(await constraints.violatedBy(change)).toBe('purchases_external_id');
  },
);

it('constraints allow the deletion of a material that has products', async () => {
  expect(await constraints.violatedBy('delete from materials')).toBeUndefined();
});
