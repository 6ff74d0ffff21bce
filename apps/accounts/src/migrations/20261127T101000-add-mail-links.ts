import type { MigrationInterface, QueryRunner } from 'typeorm';

const statements = [
  'alter table users add column email_confirmed_at timestamptz',
  // A link is valid until `expires_at`, while `email` is the address of the user. `hash` is the
  // SHA-256 of the token in the link
  `create table mail_links (
    user_id    bigint not null references users on delete cascade check (user_id > 0),
    purpose    text not null check (purpose in ('password-reset', 'email-confirmation')),
    hash       bytea not null check (octet_length(hash) = 32),
    email      text not null,
    expires_at timestamptz not null,
    constraint mail_links_pkey primary key (user_id, purpose),
    constraint mail_links_hash_unique unique (hash)
  )`,
  'create index mail_links_expiry on mail_links (expires_at)',
];

/** Links in mails to users, and the time at which a user has confirmed the e-mail address. */
export class AddMailLinks implements MigrationInterface {
  readonly name = 'AddMailLinks1795774200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table mail_links');
    await runner.query('alter table users drop column email_confirmed_at');
  }
}
