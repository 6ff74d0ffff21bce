// node tools/secrets.mjs [FOLDER]: makes the secrets of docker-compose.yml, each in a file of its own, in FOLDER (default
// secrets). A file that is there stays as it is, but for the users of Redis, whose grants come with each version. Plain
// JavaScript without packages: nothing need be installed.
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceNames } from '../libs/contracts/src/apps.mjs';
import { redisPassword, redisUsers, usersOf } from './dev-stack/redis/redis-users.mjs';

/** The random ones, of which the others are made. */
export const random = [
  ...['database-owner-password', 'database-roles-secret', 'redis-requests-secret', 'redis-jobs-secret'],
  ...['image-signing-secret', 'key-encryption-secret', 'demo-password', 's3-secret-access-key'],
  'queue-board-password',
];

/** As `migrate` makes it of the same secret. No service is given the secret: it could make the others' passwords of it. */
function roleOf(service, secret) {
  const role = `storefront_${service.replaceAll('-', '_')}`;
  return `${role}:${createHmac('sha256', secret).update(role).digest('hex')}`;
}

/** Who may do what in the S3 store. */
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
 * What is made of the random ones, by name of the file.
 * @param {Readonly<Record<string, string>>} made
 */
export function derived(made) {
  const database = (user) => `postgres://${user}@postgres:5432/storefront`;
  const redis = (name) => {
    const secret = made[`redis-${name}-secret`];
    const urlOf = (user) => `redis://${user}:${redisPassword(secret, user)}@redis-${name}:6379`;
    return [
      ...redisUsers[name].map((user) => [`redis-${name}-url-${user}`, urlOf(user)]),
      [`redis-${name}-users.conf`, usersOf(name, secret)],
    ];
  };
  return Object.fromEntries([
    ['database-url', database(`storefront:${made['database-owner-password']}`)],
    ...serviceNames.map((service) => [
      `database-url-${service}`,
      database(roleOf(service, made['database-roles-secret'])),
    ]),
    ...redis('requests'),
    ...redis('jobs'),
    ['s3.json', s3Users(made['s3-secret-access-key'])],
  ]);
}

/**
 * Makes the files that are missing, and the users of Redis anew.
 * @param {string} folder
 * @returns {string[]} the names of those that were made or changed
 */
export function provideSecrets(folder) {
  const made = [];
  const provide = (name, content) => {
    const file = join(folder, name);
    const present = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : undefined;
    if (present === content || (present !== undefined && !name.endsWith('-users.conf'))) return present;
    writeFileSync(file, `${content}\n`);
    // Docker shows a container the file as it is here, whoever owns it: that others on this machine cannot read it is for
    // the folder to say
    chmodSync(file, 0o644);
    made.push(name);
    return content;
  };
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const kept = Object.fromEntries(random.map((name) => [name, provide(name, randomBytes(32).toString('hex'))]));
  for (const [name, content] of Object.entries(derived(kept))) provide(name, content);
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? 'secrets';
  const made = provideSecrets(folder);
  console.log(made.length === 0 ? `${folder}: all are there` : `${folder}: made ${made.join(', ')}`);
}
