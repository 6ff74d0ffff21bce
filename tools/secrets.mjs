// node tools/secrets.mjs [FOLDER]: generates the secrets of docker-compose.yml, one file each, in
// FOLDER (default: secrets). Existing files stay unchanged, except for the ACLs of the Redis users,
// which change with the version. Plain JavaScript without packages, so that no install is needed.
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceNames } from '../libs/contracts/src/apps.mjs';
import { redisPassword, redisUsers, usersOf } from './dev-stack/redis/redis-users.mjs';

/** Names of the random secrets, from which all others are derived. */
export const randomSecretNames = [
  ...['database-owner-password', 'database-roles-secret', 'redis-requests-secret', 'redis-jobs-secret'],
  ...['image-signing-secret', 'key-encryption-secret', 'demo-password', 's3-secret-access-key'],
  ...['queue-board-password', 'webhook-encryption-secret'],
];

/**
 * Returns role and password of a service, as `migrate` derives them. Services have no access to the
 * secret: it would give them the passwords of all roles.
 */
function credentialsOf(service, secret) {
  const role = `storefront_${service.replaceAll('-', '_')}`;
  return `${role}:${createHmac('sha256', secret).update(role).digest('hex')}`;
}

/** Returns the identities file of the S3 store. */
const s3Users = (secretKey) =>
  JSON.stringify({
    identities: [
      {
        name: 'storefront',
        credentials: [{ accessKey: 'storefront', secretKey }],
        actions: ['Admin', 'Read', 'List', 'Tagging', 'Write'],
      },
    ],
  });

/**
 * Returns the derived secrets by file name.
 * @param {Readonly<Record<string, string>>} secrets random secrets by name
 */
export function deriveSecrets(secrets) {
  const database = (user) => `postgres://${user}@postgres:5432/storefront`;
  const redis = (name) => {
    const secret = secrets[`redis-${name}-secret`];
    const urlOf = (user) => `redis://${user}:${redisPassword(secret, user)}@redis-${name}:6379`;
    return [
      ...redisUsers[name].map((user) => [`redis-${name}-url-${user}`, urlOf(user)]),
      [`redis-${name}-users.conf`, usersOf(name, secret)],
    ];
  };
  return Object.fromEntries([
    ['database-url', database(`storefront:${secrets['database-owner-password']}`)],
    ...serviceNames.map((service) => [
      `database-url-${service}`,
      database(credentialsOf(service, secrets['database-roles-secret'])),
    ]),
    ...redis('requests'),
    ...redis('jobs'),
    ['s3.json', s3Users(secrets['s3-secret-access-key'])],
  ]);
}

/**
 * Creates missing secret files in a folder and updates the ACLs of the Redis users.
 * @param {string} folder
 * @returns {string[]} names of the files that were created or changed
 */
export function provideSecrets(folder) {
  const made = [];
  const provide = (name, content) => {
    const file = join(folder, name);
    const present = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : undefined;
    if (present === content || (present !== undefined && !name.endsWith('-users.conf'))) return present;
    writeFileSync(file, `${content}\n`);
    // A container sees the owner and mode of the host, so the file is readable for all; the mode of
    // the folder denies other users of the host
    chmodSync(file, 0o644);
    made.push(name);
    return content;
  };
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const randomSecrets = Object.fromEntries(
    randomSecretNames.map((name) => [name, provide(name, randomBytes(32).toString('hex'))]),
  );
  for (const [name, content] of Object.entries(deriveSecrets(randomSecrets))) provide(name, content);
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? 'secrets';
  const made = provideSecrets(folder);
  console.log(made.length === 0 ? `${folder}: all secrets exist` : `${folder}: created ${made.join(', ')}`);
}
