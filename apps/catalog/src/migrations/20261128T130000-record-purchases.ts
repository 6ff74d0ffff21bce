import type { MigrationInterface, QueryRunner } from 'typeorm';

const statements = [
  // No foreign keys: a purchase outlives its product, and users are in another schema
  `create table purchases (
    id          bigint generated always as identity primary key,
    external_id text constraint purchases_external_id
                check (external_id ~ '^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$' and external_id !~* '^purchase-'),
    product_id  bigint not null,
    variant_id  bigint not null,
    quantity    integer not null constraint purchases_quantity check (quantity between 1 and 10000),
    buyer_id    bigint constraint purchases_buyer check (buyer_id > 0),
    created_at  timestamptz not null default now()
  )`,
  // Folders of productions have the name of the id, and some file systems ignore case
  'create unique index purchases_external_id_key on purchases (lower(external_id))',
  // For the deletion of a user
  'create index purchases_of_buyer on purchases (buyer_id) where buyer_id is not null',
];

/** Table of recorded purchases, so that an order system can repeat a request. */
export class RecordPurchases implements MigrationInterface {
  readonly name = 'RecordPurchases1795870800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table purchases');
  }
}
