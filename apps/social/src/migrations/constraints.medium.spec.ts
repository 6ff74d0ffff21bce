import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

beforeAll(async () => {
  constraints = await testConstraints(
    'social',
    `insert into product_favorites values (10, 1), (11, 0);
     insert into favorites (product_id, user_id, count, anonymous, x, y, rotation) values (10, 1, 1, false, 0.5, 0.5, 0);
     insert into choices (user_id, title, secret) values (1, 'Summer', false);
     insert into choice_products select id, 10, 11, 1 from choices`,
  );
});
afterAll(() => constraints.close());

const favorite = (values: string) =>
  `insert into favorites (product_id, user_id, count, anonymous, x, y, rotation) values (${values})`;

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  product_favorites_product: 'insert into product_favorites values (0, 0)',
  product_favorites_total_count_check: 'update product_favorites set total_count = -1',
  product_favorites_total: 'update product_favorites set total_count = 9007199254740992',
  product_favorites_deleted: 'update product_favorites set deleted = true where product_id = 10',
  favorites_unique: favorite('10, 1, 1, true, 0, 0, 0'),
  favorites_user: favorite('10, 0, 1, true, 0, 0, 0'),
  favorites_product_fk: favorite('12, 2, 1, true, 0, 0, 0'),
  favorites_count_check: 'update favorites set count = 0',
  favorites_count_bound: 'update favorites set count = 9007199254740992',
  favorites_x_check: 'update favorites set x = 1.01',
  favorites_y_check: 'update favorites set y = -0.01',
  favorites_rotation_check: 'update favorites set rotation = 31',
  favorites_revision: 'update favorites set revision = -1',
  choices_user_id_check: 'update choices set user_id = 0',
  choices_title_check: `update choices set title = ''`,
  choices_description_check: `update choices set description = repeat('x', 10001)`,
  choices_banner_url_check: `update choices set banner_url = 'https://' || repeat('x', 2041)`,
  choices_banner_address: `update choices set banner_url = 'javascript:alert(1)'`,
  choices_revision: 'update choices set revision = -1',
  choice_products_pkey: 'insert into choice_products select choice_id, 10, 11, 2 from choice_products',
  choice_products_position: 'insert into choice_products select choice_id, 10, 12, 1 from choice_products',
  choice_products_variant: 'update choice_products set item_variant_id = 0',
  choice_products_choice_id_fkey: 'update choice_products set choice_id = choice_id + 1',
  choice_products_product_fk: 'update choice_products set product_id = 12',
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});

it('constraints allow the deletion of a choice that has entries', async () => {
  expect(await constraints.violatedBy('delete from choices')).toBeUndefined();
});
