import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  `create table materials (
    id              bigint generated always as identity primary key,
    user_id         bigint not null check (user_id > 0),
    title           text not null check (char_length(title) between 1 and 255),
    description     text check (char_length(description) <= 10000),
    price           integer not null check (price >= 0),
    violation       boolean not null default false,
    published       boolean not null,
    published_at    timestamptz,
    texture_hash    text not null check (texture_hash ~ '^[0-9a-f]{64}$'),
    texture_format  text not null,
    original_width  integer not null check (original_width > 0),
    original_height integer not null check (original_height > 0),
    dominant_rgb    text check (dominant_rgb ~ '^#[0-9a-f]{6}$'),
    uploaded_at     timestamptz not null default now(),
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    constraint materials_published_at check (not published or published_at is not null),
    constraint materials_copied_key unique (id, user_id, violation)
  )`,
  // The foreign key copies changes of owner and violation into each product and prevents
  // differences, so that lists read only an index of products
  `create table products (
    id                   bigint generated always as identity primary key,
    material_id          bigint not null,
    user_id              bigint not null,
    violation            boolean not null default false,
    item_id              bigint not null,
    exemplary_variant_id bigint not null,
    published            boolean not null,
    published_at         timestamptz,
    listed               boolean not null generated always as (published and not violation) stored,
    resize_mode          text check (resize_mode in ('contain', 'cover')),
    prints               jsonb not null default '[]' check (jsonb_typeof(prints) = 'array'),
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    constraint products_published_at check (not published or published_at is not null),
    constraint products_material_item_key unique (material_id, item_id),
    constraint products_material_fk foreign key (material_id, user_id, violation)
      references materials (id, user_id, violation) on update cascade on delete cascade,
    constraint products_item_fk foreign key (item_id) references items (id),
    constraint products_variant_fk foreign key (item_id, exemplary_variant_id) references item_variants (item_id, id)
  )`,
];

const newestFirst = 'created_at desc, id desc';

// One index for each filter of the API, sorted like the list. The filter by material has none: the
// unique key of products finds the few products of a material
const indexes = [
  `create index materials_of_user on materials (user_id, ${newestFirst})`,
  `create index materials_shown_of_user on materials (user_id, ${newestFirst}) where published and not violation`,
  `create index products_listed on products (${newestFirst}) where listed`,
  `create index products_listed_of_item on products (item_id, ${newestFirst}) where listed`,
  `create index products_listed_of_user on products (user_id, ${newestFirst}) where listed`,
  `create index products_listed_of_user_item on products (user_id, item_id, ${newestFirst}) where listed`,
  `create index products_unlisted_of_user on products (user_id, ${newestFirst}) where not listed`,
];

export class CreateMaterialsAndProducts implements MigrationInterface {
  readonly name = 'CreateMaterialsAndProducts1795169700000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...indexes]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table products, materials');
  }
}
