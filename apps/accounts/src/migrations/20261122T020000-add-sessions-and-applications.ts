import type { MigrationInterface, QueryRunner } from 'typeorm';

const scopes = `text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'write'])`;
const hash = (name: string) => `${name} bytea primary key check (octet_length(${name}) = 32)`;
const ofUser = 'user_id bigint not null references users on delete cascade check (user_id > 0)';
const ofApplication = 'application_id bigint not null references applications on delete cascade';

const tables = [
  `create table sessions (
    ${hash('hash')},
    ${ofUser},
    user_agent text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  'create index sessions_user on sessions (user_id)',
  'create index sessions_expiry on sessions (expires_at)',

  `create table applications (
    id            bigint generated always as identity primary key,
    owner_id      bigint not null references users on delete cascade check (owner_id > 0),
    client_id     text not null,
    name          text not null,
    description   text not null,
    home_page     text,
    redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
    scopes        ${scopes},
    confidential  boolean not null,
    secret_hash   bytea check (octet_length(secret_hash) = 32),
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    constraint applications_client_id_unique unique (client_id),
    constraint applications_secret check (confidential = (secret_hash is not null))
  )`,
  'create index applications_owner on applications (owner_id, created_at desc, id desc)',
  'create index applications_newest on applications (created_at desc, id desc)',

  // Scopes that a user has granted to an application. Consent is requested again for further
  // scopes, and always for a native application
  `create table consents (
    ${ofUser},
    ${ofApplication},
    scopes     ${scopes},
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint consents_pkey primary key (user_id, application_id)
  )`,
  'create index consents_application on consents (application_id)',

  `create table authorization_codes (
    ${hash('hash')},
    ${ofUser},
    ${ofApplication},
    scopes         ${scopes},
    redirect_uri   text not null,
    code_challenge text,
    created_at     timestamptz not null default now(),
    expires_at     timestamptz not null,
    redeemed_at    timestamptz
  )`,
  'create index authorization_codes_user on authorization_codes (user_id, application_id)',
  'create index authorization_codes_application on authorization_codes (application_id)',
  'create index authorization_codes_expiry on authorization_codes (expires_at)',

  // A used refresh token stays until it expires, so that a reuse, a sign of theft, is detected
  `create table refresh_tokens (
    ${hash('hash')},
    ${ofUser},
    ${ofApplication},
    scopes     ${scopes},
    code_hash  bytea not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at    timestamptz
  )`,
  'create index refresh_tokens_code on refresh_tokens (code_hash)',
  'create index refresh_tokens_user on refresh_tokens (user_id, application_id)',
  'create index refresh_tokens_application on refresh_tokens (application_id)',
  'create index refresh_tokens_expiry on refresh_tokens (expires_at)',

  // The hash of the code identifies the family of all tokens that descend from it
  `alter table access_tokens
    add column application_id bigint references applications on delete cascade,
    add column code_hash      bytea,
    add column expires_at     timestamptz,
    add column last_used_at   timestamptz,
    add constraint access_tokens_application
      check (application_id is null or (kind = 'token' and code_hash is not null))`,

  // Pending sign-in at a provider. Nonce and verifier are stored as plain text, because they are
  // single-use and expire after minutes
  `create table identity_attempts (
    ${hash('state_hash')},
    provider      text not null,
    visit_hash    bytea not null,
    user_id       bigint references users on delete cascade,
    nonce         text not null,
    code_verifier text not null,
    return_to     text not null,
    expires_at    timestamptz not null
  )`,
  'create index identity_attempts_expiry on identity_attempts (expires_at)',

  // Identity of a person without an account, which a provider has confirmed
  `create table identity_tickets (
    ${hash('hash')},
    provider   text not null,
    uid        text not null,
    nickname   text,
    url        text,
    visit_hash bytea not null,
    return_to  text not null,
    expires_at timestamptz not null
  )`,
  'create index identity_tickets_expiry on identity_tickets (expires_at)',
];

export class AddSessionsAndApplications implements MigrationInterface {
  readonly name = 'AddSessionsAndApplications1795312800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of tables) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table access_tokens drop constraint access_tokens_application, drop column application_id,
       drop column code_hash, drop column expires_at, drop column last_used_at`,
    );
    await runner.query(
      `drop table identity_tickets, identity_attempts, refresh_tokens, authorization_codes, consents, applications, sessions`,
    );
  }
}
