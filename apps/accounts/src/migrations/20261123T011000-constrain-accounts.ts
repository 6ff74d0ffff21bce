import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxConstraints } from '#events';
import { addConstraints, dropConstraints, type TableConstraints } from '#persistence';

// URL that pages link to: http or https as in the contract, which excludes `javascript:`
const urlCheck = (column: string) => `check (${column} ~* '^https?://' and char_length(${column}) <= 2048)`;
const hash = (column: string) => `check (octet_length(${column}) = 32)`;
const providerName = "check (provider ~ '^[a-z0-9-]{1,50}$')";
const returnTo = 'check (char_length(return_to) <= 4096)';

const rules = {
  ...outboxConstraints,
  users: {
    users_id: 'check (id >= 0)',
    users_anonymous: 'check (id <> 0 or (email is null and password_hash is null))',
    users_email: 'check (char_length(email) between 3 and 254)',
    users_display_name: 'check (char_length(display_name) <= 255)',
    users_avatar_url: urlCheck('avatar_url'),
    users_profile: "check (jsonb_typeof(profile) = 'object' and profile ?& array['url', 'body', 'headerUrl'])",
    users_profile_url: urlCheck("(profile ->> 'url')"),
    users_profile_header_url: urlCheck("(profile ->> 'headerUrl')"),
    users_profile_body: "check (char_length(profile ->> 'body') <= 10000)",
  },
  identities: {
    identities_user_id: 'check (user_id > 0)',
    identities_provider: providerName,
    identities_uid: 'check (char_length(uid) between 1 and 255)',
    identities_nickname: 'check (char_length(nickname) <= 255)',
    identities_url: urlCheck('url'),
  },
  access_tokens: { access_tokens_code_hash: hash('code_hash') },
  refresh_tokens: { refresh_tokens_code_hash: hash('code_hash') },
  sessions: { sessions_user_agent: 'check (char_length(user_agent) <= 512)' },
  applications: {
    applications_client_id: 'check (char_length(client_id) between 1 and 255)',
    applications_name: 'check (char_length(name) between 1 and 100)',
    applications_description: 'check (char_length(description) <= 1000)',
    applications_home_page: urlCheck('home_page'),
    applications_redirect_uris: 'check (array_position(redirect_uris, null) is null)',
  },
  authorization_codes: {
    // A registered redirect URI (at most 2,000 characters), which may have another port if its host
    // is a loopback address
    authorization_codes_redirect_uri: 'check (char_length(redirect_uri) <= 2048)',
    // SHA-256 in URL-safe base64
    authorization_codes_challenge: "check (code_challenge ~ '^[A-Za-z0-9_-]{43}$')",
  },
  identity_attempts: {
    identity_attempts_provider: providerName,
    identity_attempts_user: 'check (user_id > 0)',
    identity_attempts_visit: hash('visit_hash'),
    identity_attempts_return_to: returnTo,
  },
  identity_tickets: {
    identity_tickets_provider: providerName,
    identity_tickets_uid: 'check (char_length(uid) between 1 and 255)',
    identity_tickets_nickname: 'check (char_length(nickname) <= 255)',
    identity_tickets_url: urlCheck('url'),
    identity_tickets_visit: hash('visit_hash'),
    identity_tickets_return_to: returnTo,
  },
} satisfies TableConstraints;

/**
 * Rules of the contracts as constraints of the service's tables. Runs outside a transaction,
 * because the tables are in use: see `addConstraints`.
 */
export class ConstrainAccounts implements MigrationInterface {
  readonly name = 'ConstrainAccounts1795396200000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rules);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, rules);
  }
}
