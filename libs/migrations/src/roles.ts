import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { MigrationFailure } from './migration-failure.js';

/**
 * Derives the password of a role, so that it is not stored: HMAC-SHA256(secret, role name), hex.
 */
const deriveRolePassword = (role: string, secret: string): string =>
  createHmac('sha256', secret).update(role).digest('hex');

/**
 * Returns the SCRAM verifier that PostgreSQL stores (RFC 5803), so that no statement or server log
 * contains the password.
 */
function scramVerifier(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${key('Server Key').toString('base64')}`;
}

/**
 * Returns the URL of a service: server and database of the owner's URL, with the service's role.
 */
export function serviceDatabaseUrl(ownerUrl: string, service: ServiceName, rolesSecret: string): string {
  const url = new URL(ownerUrl);
  url.username = roleOf(service);
  url.password = deriveRolePassword(roleOf(service), rolesSecret);
  return url.href;
}

const stateOf = (error: unknown): string => (error as { code?: string }).code ?? '';

// Roles belong to the whole cluster. The migration of another database may change the same role
// concurrently (duplicate_object, unique_violation on pg_authid, "tuple concurrently updated"),
// with the same result
const concurrentChangeStates = new Set(['42710', '23505', 'XX000']);
const insufficientPrivilege = '42501';

/**
 * Creates a login role if it is missing, and sets its password. Without a secret, a missing role is
 * created without login, and an existing role is not changed.
 *
 * @param attributes further attributes of a login role
 * @throws MigrationFailure when the user of the database may not create the role
 */
export async function ensureRole(
  owner: Client,
  role: string,
  secret: string | undefined,
  attributes = '',
): Promise<void> {
  const login =
    secret === undefined
      ? 'NOLOGIN'
      : `LOGIN ${attributes} PASSWORD '${scramVerifier(deriveRolePassword(role, secret))}'`;
  const { rowCount } = await owner.query('select 1 from pg_roles where rolname = $1', [role]);
  if (rowCount !== 0 && secret === undefined) return;
  try {
    await owner.query(`${rowCount === 0 ? 'create' : 'alter'} role "${role}" ${login}`);
  } catch (error) {
    if (concurrentChangeStates.has(stateOf(error))) return;
    if (stateOf(error) !== insufficientPrivilege) throw error;
    // An existing role that is managed elsewhere is used unchanged
    if (rowCount !== 0) return;
    throw new MigrationFailure(
      `The user of DATABASE_URL may not create the role "${role}". Give it CREATEROLE, or create the role as an administrator.`,
    );
  }
}

/**
 * Grants the role of a service access to all rows in its schema, but no change of a table's
 * definition.
 */
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

/**
 * Creates the schema of a service and grants its role access. Idempotent.
 *
 * @throws MigrationFailure when the user of the database may not create the schema
 */
export async function ensureSchema(owner: Client, service: ServiceName): Promise<void> {
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
 * Creates the role with which another server replicates published tables, if it is missing, and
 * sets its password, which is derived from the secret like those of services.
 */
export async function ensureReplicator(owner: Client, secret: string): Promise<{ role: string; password: string }> {
  await ensureRole(owner, replicator, secret, 'REPLICATION');
  return { role: replicator, password: deriveRolePassword(replicator, secret) };
}

/** Returns true when the replication role exists. */
export async function hasReplicator(owner: Client): Promise<boolean> {
  const { rows } = await owner.query('select from pg_roles where rolname = $1', [replicator]);
  return rows.length > 0;
}
