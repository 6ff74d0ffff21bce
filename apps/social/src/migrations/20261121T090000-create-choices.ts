import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  `create table choices (
    id          bigint generated always as identity primary key,
    user_id     bigint not null check (user_id > 0),
    title       text not null check (char_length(title) between 1 and 255),
    description text check (char_length(description) <= 10000),
    banner_url  text check (char_length(banner_url) <= 2048),
    secret      boolean not null,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now()
  )`,
  `create table choice_products (
    choice_id       bigint not null references choices on delete cascade,
    product_id      bigint not null,
    item_variant_id bigint not null,
    position        integer not null,
    primary key (choice_id, product_id, item_variant_id),
    constraint choice_products_position unique (choice_id, position)
  )`,
  `comment on column choice_products.position is 'the lowest is shown first; what is added later goes below the lowest'`,
];

const newestFirst = 'created_at desc, id desc';

// One index for each filter of the API, sorted like the list, and one for the entries of a product
const indexes = [
  `create index choices_public on choices (${newestFirst}) where not secret`,
  `create index choices_public_of_user on choices (user_id, ${newestFirst}) where not secret`,
  `create index choices_secret_of_user on choices (user_id, ${newestFirst}) where secret`,
  'create index choice_products_product on choice_products (product_id)',
];

export class CreateChoices implements MigrationInterface {
  readonly name = 'CreateChoices1795251600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...indexes]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table choice_products, choices');
  }
}
