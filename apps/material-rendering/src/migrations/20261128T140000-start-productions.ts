import type { MigrationInterface, QueryRunner } from 'typeorm';

const statements = [
  // No foreign key of `print_files_id`: the files are deleted days after they were published
  `create table productions (
     purchase_id    bigint primary key,
     external_id    text,
     folder         text not null constraint productions_folder check (folder ~ '^production/[A-Za-z0-9][A-Za-z0-9._-]*$'),
     quantity       integer not null constraint productions_quantity check (quantity between 1 and 10000),
     recorded_at    timestamptz not null,
     "order"        jsonb not null constraint productions_order check (jsonb_typeof("order") = 'object'),
     print_files_id bigint,
     status         text not null default 'waiting'
                    constraint productions_status check (status in ('waiting', 'ready', 'failed')),
     reason         text,
     created_at     timestamptz not null default now(),
     updated_at     timestamptz not null default now(),
     constraint productions_reason check ((status = 'failed') = (reason is not null))
   )`,
  'create unique index productions_folder_key on productions (lower(folder))',
  `create index productions_unfinished on productions (print_files_id) where status <> 'ready'`,
];

/** Table of the productions of purchases. */
export class StartProductions implements MigrationInterface {
  readonly name = 'StartProductions1795874400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table productions');
  }
}
