import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { MigrationFailure } from './migration-failure.js';

/** The password of a service's role, so that it is stored nowhere: HMAC-SHA256(secret, role name), hex. */
const rolePassword = (role: string, secret: string): string => createHmac('sha256', secret).update(role).digest('hex');

/** What PostgreSQL stores for a password (RFC 5803), so that the password never stands in a statement or a server log. */
function scramVerifier(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${key('Server Key').toString('base64')}`;
}

/** The URL a service connects with: the owner's server and database, but the service's own role. */
export function serviceDatabaseUrl(ownerUrl: string, service: ServiceName, rolesSecret: string): string {
  const url = new URL(ownerUrl);
  url.username = roleOf(service);
  url.password = rolePassword(roleOf(service), rolesSecret);
  return url.href;
}

const stateOf = (error: unknown): string => (error as { code?: string }).code ?? '';

// Roles belong to the whole cluster: another database's migration may be at the same role now (duplicate_object,
// unique_violation on pg_authid, "tuple concurrently updated"), and then has done the same work
const doneByAnother = new Set(['42710', '23505', 'XX000']);
const insufficientPrivilege = '42501';

/**
 * Makes the service's login role when it is missing and sets its password; without a secret the role cannot log in and
 * only holds the grants. `more` are attributes of the role.
 */
export async function provideRole(owner: Client, role: string, secret: string | undefined, more = ''): Promise<void> {
  const login =
    secret === undefined ? 'NOLOGIN' : `LOGIN ${more} PASSWORD '${scramVerifier(rolePassword(role, secret))}'`;
  const { rowCount } = await owner.query('select 1 from pg_roles where rolname = $1', [role]);
  if (rowCount !== 0 && secret === undefined) return;
  try {
    await owner.query(`${rowCount === 0 ? 'create' : 'alter'} role "${role}" ${login}`);
  } catch (error) {
    if (doneByAnother.has(stateOf(error))) return;
    if (stateOf(error) !== insufficientPrivilege) throw error;
    // An existing role that somebody else looks after is fine as it is
    if (rowCount !== 0) return;
    throw new MigrationFailure(
      `The user of DATABASE_URL may not create the role "${role}". Give it CREATEROLE, or create the role as an administrator.`,
    );
  }
}

/** What a service may do: use its schema, and read and write the rows of its own tables. Never change a table. */
async function grant(owner: Client, role: string, schema: string): Promise<void> {
  const { rows } = await owner.query<{ name: string }>('select quote_ident(current_database()) as name');
  await owner.query(`
    grant connect on database ${rows[0]!.name} to "${role}";
    grant usage on schema "${schema}" to "${role}";
    grant select, insert, update, delete on all tables in schema "${schema}" to "${role}";
    grant usage, select, update on all sequences in schema "${schema}" to "${role}";
    alter default privileges in schema "${schema}" grant select, insert, update, delete on tables to "${role}";
    alter default privileges in schema "${schema}" grant usage, select, update on sequences to "${role}";
  `);
}

/** The schema of a service, and what its role may do there. Doing it again changes nothing. */
export async function provideSchema(owner: Client, service: ServiceName): Promise<void> {
  const [role, schema] = [roleOf(service), schemaOf(service)];
  try {
    await owner.query(`create schema if not exists "${schema}"`);
  } catch (error) {
    if (stateOf(error) !== insufficientPrivilege) throw error;
    throw new MigrationFailure(`The user of DATABASE_URL may not create the schema "${schema}" in this database.`);
  }
  await grant(owner, role, schema);
}

const replicator = 'storefront_replication';

/**
 * Makes the role with which another server replicates published tables from this one, when it is missing, and sets its
 * password, which is made of the secret like those of services.
 */
export async function provideReplicator(owner: Client, secret: string): Promise<{ role: string; password: string }> {
  await provideRole(owner, replicator, secret, 'REPLICATION');
  return { role: replicator, password: rolePassword(replicator, secret) };
}

/** Whether this server was ever replicated from. */
export async function hasReplicator(owner: Client): Promise<boolean> {
  const { rows } = await owner.query('select from pg_roles where rolname = $1', [replicator]);
  return rows.length > 0;
}
