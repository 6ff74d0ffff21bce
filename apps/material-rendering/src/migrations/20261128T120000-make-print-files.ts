import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Table of the print files of products: each distinct order once. */
export class MakePrintFiles implements MigrationInterface {
  readonly name = 'MakePrintFiles1795867200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create table print_files (
         id          bigint generated always as identity primary key,
         order_hash  text not null constraint print_files_order_hash check (order_hash ~ '^[0-9a-f]{64}$'),
         user_id     bigint not null,
         product_id  bigint not null,
         material_id bigint not null,
         "order"     jsonb not null,
         status      text not null default 'waiting'
                     constraint print_files_status check (status in ('waiting', 'making', 'ready', 'failed')),
         progress    integer not null default 0 constraint print_files_progress check (progress between 0 and 100),
         files       jsonb not null default '[]',
         ticket      text,
         bytes       bigint not null default 0 constraint print_files_bytes check (bytes >= 0),
         created_at  timestamptz not null default now(),
         updated_at  timestamptz not null default now(),
         deleted_at  timestamptz,
         constraint print_files_ready check ((status = 'ready') = (ticket is not null))
       )`,
    );
    await runner.query('create unique index print_files_order on print_files (order_hash) where deleted_at is null');
    await runner.query('create index print_files_user on print_files (user_id) where deleted_at is null');
    await runner.query('create index print_files_material on print_files (material_id) where deleted_at is null');
    await runner.query('create index print_files_updated on print_files (updated_at) where deleted_at is null');
    await runner.query('create index print_files_deleted on print_files (id) where deleted_at is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table print_files');
  }
}
