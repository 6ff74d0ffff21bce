import type { MigrationInterface, QueryRunner } from 'typeorm';

const statements = [
  // `user_id` has no foreign key: users are in the schema of another service
  `create table sales (
    id         bigint generated always as identity primary key,
    name       text not null check (char_length(name) between 1 and 255),
    item_id    bigint,
    user_id    bigint,
    product_id bigint,
    percent    integer check (percent between 1 and 100),
    amount     bigint check (amount > 0),
    starts_at  timestamptz not null,
    ends_at    timestamptz,
    ended_at   timestamptz,
    created_at timestamptz not null default now(),
    constraint sales_one_target check (num_nonnulls(item_id, user_id, product_id) = 1),
    constraint sales_one_discount check (num_nonnulls(percent, amount) = 1),
    constraint sales_ends_after_start check (ends_at > starts_at),
    constraint sales_ends_later check (ends_at > created_at),
    constraint sales_item_fk foreign key (item_id) references items (id),
    constraint sales_product_fk foreign key (product_id) references products (id) on delete cascade
  )`,
  // For the cascade when a product is deleted
  'create index sales_of_product on sales (product_id) where product_id is not null',
];

export class CreateSales implements MigrationInterface {
  readonly name = 'CreateSales1795253460000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sales');
  }
}
