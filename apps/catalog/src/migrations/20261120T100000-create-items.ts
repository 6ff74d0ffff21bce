import { outboxTables } from '#events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

// Names of items, colors and sizes are part of image and page URLs
const name = `text not null check (name ~ '^[a-z0-9][a-z0-9-]*$')`;
const displayName = `jsonb not null check (display_name ?& array['ja', 'en'])`;
// Deferred, because a load may exchange two names or combinations
const atCommit = 'deferrable initially deferred';

const tables = [
  `create table colors (
    id           bigint primary key check (id > 0),
    name         ${name},
    display_name ${displayName},
    rgb          text not null check (rgb ~ '^#[0-9a-f]{6}$'),
    constraint colors_name_unique unique (name) ${atCommit}
  )`,
  `create table sizes (
    id           bigint primary key check (id > 0),
    name         ${name},
    display_name ${displayName},
    constraint sizes_name_unique unique (name) ${atCommit}
  )`,
  `create table categories (
    name          ${name} primary key,
    display_name  ${displayName},
    display_order integer not null
  )`,
  `create table items (
    id                        bigint primary key check (id > 0),
    name                      ${name},
    display_name              ${displayName},
    category_name             text not null references categories,
    display_order             integer not null,
    is_embroidery             boolean not null,
    resize_modes              text[] not null check (cardinality(resize_modes) > 0 and resize_modes <@ array['contain', 'cover']),
    available_print_places    text[] not null,
    default_print_place       text not null,
    print_place_display_names jsonb not null,
    print_areas               jsonb not null,
    angles                    jsonb not null,
    image_descriptions        text[] not null,
    exemplary_variant_id      bigint not null,
    enabled                   boolean not null,
    constraint items_name_unique unique (name) ${atCommit},
    constraint items_default_print_place check (default_print_place = any (available_print_places))
  )`,
  `create table item_variants (
    id       bigint primary key check (id > 0),
    item_id  bigint not null references items,
    color_id bigint not null references colors,
    size_id  bigint not null references sizes,
    price    integer not null check (price >= 0),
    enabled  boolean not null,
    position integer not null,
    constraint item_variants_combination_unique unique (item_id, color_id, size_id) ${atCommit},
    constraint item_variants_of_item unique (item_id, id)
  )`,
  // An item and its exemplary variant refer to each other. The composite key excludes variants of
  // other items
  `alter table items add constraint items_exemplary_variant
    foreign key (id, exemplary_variant_id) references item_variants (item_id, id) ${atCommit}`,
  `create table print_places (
    id              bigint primary key check (id > 0),
    item_variant_id bigint not null references item_variants,
    place           text not null,
    price           integer not null check (price >= 0),
    constraint print_places_place_unique unique (item_variant_id, place) ${atCommit}
  )`,
];

/** Tables of the items that are loaded from files, and the outbox and inbox of the service. */
export class CreateItems implements MigrationInterface {
  readonly name = 'CreateItems1795168800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...outboxTables]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table items drop constraint items_exemplary_variant');
    await runner.query('drop table print_places, item_variants, items, categories, sizes, colors, outbox, inbox');
    await runner.query('drop function outbox_wake');
  }
}
