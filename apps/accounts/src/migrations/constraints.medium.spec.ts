import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

const sha = (words: string) => `sha256('${words}'::bytea)`;
const later = `now() + interval '1 day'`;

beforeAll(async () => {
  constraints = await testConstraints(
    'accounts',
    `insert into users (id, name, email) overriding system value values (1, 'hanako', 'h@example.com'), (2, 'taro', 't@example.com');
     insert into identities (user_id, provider, uid) values (1, 'example', '1');
     insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential)
       values (1, 'c', 'App', '', '{https://app.example.com}', '{read}', false);
     insert into access_tokens (hash, user_id, kind, scopes, encrypted) values (${sha('key')}, 1, 'personal', '{read}', '\\x00');
     insert into access_tokens (hash, user_id, kind, scopes) values (${sha('token')}, 1, 'token', '{read}');
     insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
       values (${sha('refresh')}, 1, 1, '{read}', ${sha('code')}, ${later});
     insert into sessions (hash, user_id, expires_at) values (${sha('session')}, 1, ${later});
     insert into consents (user_id, application_id, scopes) values (1, 1, '{read}');
     insert into authorization_codes (hash, user_id, application_id, scopes, redirect_uri, expires_at)
       values (${sha('code')}, 1, 1, '{read}', 'https://app.example.com', ${later});
     insert into identity_attempts values (${sha('state')}, 'example', ${sha('visit')}, 1, 'n', 'v', '/', ${later});
     insert into identity_tickets values (${sha('ticket')}, 'example', '2', null, null, ${sha('visit')}, '/', ${later});
     insert into mail_links values (1, 'password-reset', ${sha('link')}, 'h@example.com', ${later})`,
  );
});
afterAll(() => constraints.close());

const profile = (change: string) => `update users set profile = profile || '${change}' where id = 1`;
const noUser = (table: string) => `update ${table} set user_id = 99`;
const anonymous = (table: string) => `update ${table} set user_id = 0`;
const noApplication = (table: string) => `update ${table} set application_id = 99`;
const noScopes = (table: string) => `update ${table} set scopes = '{}'`;
const shortHash = (table: string, column = 'hash') => `update ${table} set ${column} = '\\x00'`;
const script = (table: string, column: string) => `update ${table} set ${column} = 'javascript:alert(1)'`;
const long = (table: string, column: string, length: number) =>
  `update ${table} set ${column} = repeat('x', ${length})`;

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  users_id: `insert into users (id, name, email) overriding system value values (-1, 'x', 'x@example.com')`,
  users_name_check: `update users set name = 'a b' where id = 1`,
  users_name_unique: `update users set name = 'TARO' where id = 1`,
  users_email_unique: `update users set email = 'T@EXAMPLE.COM' where id = 1`,
  users_have_email: 'update users set email = null where id = 1',
  users_email: `update users set email = 'x@' where id = 1`,
  users_anonymous: `update users set password_hash = 'x' where id = 0`,
  users_display_name: `${long('users', 'display_name', 256)} where id = 1`,
  users_avatar_url: `${script('users', 'avatar_url')} where id = 1`,
  users_profile: `update users set profile = profile - 'body' where id = 1`,
  users_profile_url: profile('{"url": "javascript:alert(1)"}'),
  users_profile_header_url: profile('{"headerUrl": "data:text/html,x"}'),
  users_profile_body: `update users set profile = profile || jsonb_build_object('body', repeat('x', 10001)) where id = 1`,
  identities_unique: `insert into identities (user_id, provider, uid) values (2, 'example', '1')`,
  identities_user_id: anonymous('identities'),
  identities_user_id_fkey: noUser('identities'),
  identities_provider: `update identities set provider = 'Example'`,
  identities_uid: `update identities set uid = ''`,
  identities_nickname: long('identities', 'nickname', 256),
  identities_url: script('identities', 'url'),
  access_tokens_hash_check: `${shortHash('access_tokens')} where kind = 'token'`,
  access_tokens_user_id_check: anonymous('access_tokens'),
  access_tokens_user_id_fkey: noUser(`access_tokens`),
  access_tokens_kind_check: `update access_tokens set kind = 'other' where kind = 'token'`,
  access_tokens_scopes: `update access_tokens set scopes = '{production}' where kind = 'personal'`,
  access_tokens_encrypted: `update access_tokens set encrypted = null`,
  access_tokens_personal_unique: `insert into access_tokens (hash, user_id, kind, scopes, encrypted) values (${sha('x')}, 1, 'personal', '{read}', '\\x00')`,
  access_tokens_application: `update access_tokens set application_id = 1`,
  access_tokens_application_id_fkey: `update access_tokens set application_id = 99, code_hash = ${sha('x')} where kind = 'token'`,
  access_tokens_code_hash: shortHash('access_tokens', 'code_hash'),
  refresh_tokens_hash_check: shortHash('refresh_tokens'),
  refresh_tokens_code_hash: shortHash('refresh_tokens', 'code_hash'),
  refresh_tokens_user_id_check: anonymous('refresh_tokens'),
  refresh_tokens_user_id_fkey: noUser('refresh_tokens'),
  refresh_tokens_application_id_fkey: noApplication('refresh_tokens'),
  refresh_tokens_scopes_check: noScopes('refresh_tokens'),
  sessions_hash_check: shortHash('sessions'),
  sessions_user_id_check: anonymous('sessions'),
  sessions_user_id_fkey: noUser('sessions'),
  sessions_user_agent: long('sessions', 'user_agent', 513),
  applications_client_id: `update applications set client_id = ''`,
  applications_client_id_unique: `insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential)
    values (2, 'c', 'x', '', '{x}', '{read}', false)`,
  applications_owner_id_check: 'update applications set owner_id = 0',
  applications_owner_id_fkey: 'update applications set owner_id = 99',
  applications_name: long('applications', 'name', 101),
  applications_description: long('applications', 'description', 1_001),
  applications_home_page: script('applications', 'home_page'),
  applications_redirect_uris_check: `update applications set redirect_uris = '{}'`,
  applications_redirect_uris: `update applications set redirect_uris = '{null}'`,
  applications_scopes_check: noScopes('applications'),
  applications_secret: `update applications set confidential = true`,
  applications_secret_hash_check: `update applications set confidential = true, secret_hash = '\\x00'`,
  consents_pkey: 'insert into consents select * from consents',
  consents_user_id_check: anonymous('consents'),
  consents_user_id_fkey: noUser('consents'),
  consents_application_id_fkey: noApplication('consents'),
  consents_scopes_check: noScopes('consents'),
  authorization_codes_hash_check: shortHash('authorization_codes'),
  authorization_codes_user_id_check: anonymous('authorization_codes'),
  authorization_codes_user_id_fkey: noUser('authorization_codes'),
  authorization_codes_application_id_fkey: noApplication('authorization_codes'),
  authorization_codes_scopes_check: noScopes('authorization_codes'),
  authorization_codes_redirect_uri: long('authorization_codes', 'redirect_uri', 2_049),
  authorization_codes_challenge: long('authorization_codes', 'code_challenge', 42),
  identity_attempts_state_hash_check: shortHash('identity_attempts', 'state_hash'),
  identity_attempts_provider: `update identity_attempts set provider = ''`,
  identity_attempts_user: anonymous('identity_attempts'),
  identity_attempts_user_id_fkey: noUser('identity_attempts'),
  identity_attempts_visit: shortHash('identity_attempts', 'visit_hash'),
  identity_attempts_return_to: long('identity_attempts', 'return_to', 4_097),
  identity_tickets_hash_check: shortHash('identity_tickets'),
  identity_tickets_provider: `update identity_tickets set provider = ''`,
  identity_tickets_uid: `update identity_tickets set uid = ''`,
  identity_tickets_nickname: long('identity_tickets', 'nickname', 256),
  identity_tickets_url: script('identity_tickets', 'url'),
  identity_tickets_visit: shortHash('identity_tickets', 'visit_hash'),
  identity_tickets_return_to: long('identity_tickets', 'return_to', 4_097),
  mail_links_pkey: `insert into mail_links select user_id, purpose, ${sha('x')}, email, expires_at from mail_links`,
  mail_links_hash_unique: `insert into mail_links select user_id, 'email-confirmation', hash, email, expires_at from mail_links`,
  mail_links_hash_check: shortHash('mail_links'),
  mail_links_purpose_check: `update mail_links set purpose = 'other'`,
  mail_links_user_id_check: anonymous('mail_links'),
  mail_links_user_id_fkey: noUser('mail_links'),
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});

it.each([
  ['an unknown scope', `set scopes = '{admin}'`],
  ['no scope', `set scopes = '{}'`],
  [
    'the scope production of an application',
    `set scopes = '{production}', application_id = 1, code_hash = ${sha('x')}`,
  ],
])('constraints reject %s', async (_, change) => {
  expect(await constraints.violatedBy(`update access_tokens ${change} where kind = 'token'`)).toBe(
    'access_tokens_scopes',
  );
});

it('constraints allow the scope production for a token of the operator', async () => {
  const change = `update access_tokens set scopes = '{production,read}' where kind = 'token'`;
  expect(await constraints.violatedBy(change)).toBeUndefined();
});

it('constraints allow the deletion of a user with rows in all tables', async () => {
  expect(await constraints.violatedBy('delete from users where id = 1')).toBeUndefined();
});
