import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '#events';

/** Roles of services that may read the identities and the columns of users listed in `grants`. */
const readers = 'storefront_catalog, storefront_social, storefront_activity';

const tables = [
  `create table users (
    id            bigint generated always as identity primary key,
    name          text not null check (name ~ '^[A-Za-z0-9_-]{1,50}$'),
    display_name  text,
    avatar_url    text,
    profile       jsonb not null default '{"url": null, "body": null, "headerUrl": null}',
    official      boolean not null default false,
    email         text,
    password_hash text,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    constraint users_have_email check (id = 0 or email is not null)
  )`,
  // Names and e-mail addresses are unique without regard to case
  'create unique index users_name_unique on users (lower(name))',
  'create unique index users_email_unique on users (lower(email))',
  // Built-in sender of anonymous activities, without password, e-mail address and token
  `insert into users (id, name) overriding system value values (0, 'anonymous')`,

  `create table identities (
    id       bigint generated always as identity primary key,
    user_id  bigint not null references users on delete cascade,
    provider text not null,
    uid      text,
    nickname text,
    url      text,
    constraint identities_unique unique (provider, uid)
  )`,
  'create index identities_user on identities (user_id)',

  `create table access_tokens (
    hash       bytea primary key check (octet_length(hash) = 32),
    user_id    bigint not null references users on delete cascade check (user_id > 0),
    kind       text not null check (kind in ('personal', 'token')),
    scopes     text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'write']),
    encrypted  bytea,
    created_at timestamptz not null default now(),
    constraint access_tokens_encrypted check ((kind = 'personal') = (encrypted is not null))
  )`,
  `create unique index access_tokens_personal_unique on access_tokens (user_id) where kind = 'personal'`,
  'create index access_tokens_user on access_tokens (user_id)',
];

const grants = [
  `grant usage on schema accounts to ${readers}`,
  `grant select (id, name, display_name, avatar_url, profile, official) on accounts.users to ${readers}`,
  `grant select on accounts.identities to ${readers}`,
];

export class CreateAccounts implements MigrationInterface {
  readonly name = 'CreateAccounts1795168800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...outboxTables, ...grants]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table access_tokens, identities, users, outbox, inbox');
    await runner.query('drop function outbox_wake');
    await runner.query(`revoke usage on schema accounts from ${readers}`);
  }
}
