import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { apps } from '../../../libs/contracts/src/apps.mjs';

const maxLength = 30;

/**
 * Names of Redis users, PostgreSQL roles and schemas, secrets, programs and containers that belong
 * to no app.
 */
const reserved = [
  ...['autoscaler', 'ca', 'default', 'everyone', 'health', 'information-schema', 'jobs', 'owner', 'postgres', 'public'],
  ...['redis-jobs', 'redis-requests', 'rendering-workers', 'replication', 'requests', 'sandbox', 'stack', 'tasks'],
];

/**
 * Returns the error of a new app name; undefined if it is valid.
 *
 * @param {string} name
 */
export function faultOf(name) {
  if (!/^[a-z]+(?:-[a-z]+)*$/.test(name) || name.length > maxLength)
    return `"${name}" is not a valid app name: lower-case words joined by hyphens, at most ${maxLength} characters`;
  if (name in apps) return `the app ${name} exists already`;
  const schemas = Object.values(apps).flatMap((app) => ('schema' in app ? [app.schema] : []));
  if (reserved.includes(name) || schemas.includes(name.replaceAll('-', '_')) || name.startsWith('pg-'))
    return `the name ${name} is reserved`;
  // Redis grants each app the keys of its replies by a pattern: rq:{catalog-*}:r
  const other = Object.keys(apps).find((app) => app.startsWith(`${name}-`) || name.startsWith(`${app}-`));
  return other && `the Redis grants of ${name} and ${other} would overlap: no name may be a prefix of another`;
}

/**
 * Returns the difference between the table of apps and another list of them; undefined if there is
 * none.
 *
 * @param {string} root
 * @param {object} projects of nest-cli.json
 */
export function registryFault(root, projects) {
  const folders = readdirSync(join(root, 'apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const lists = {
    'folders of apps/': folders.map(({ name }) => name),
    'projects of nest-cli.json': Object.keys(projects),
  };
  const names = Object.keys(apps).sort().join(', ');
  const [differing] = Object.entries(lists).find(([, list]) => list.sort().join(', ') !== names) ?? [];
  return differing && `the table libs/contracts/src/apps.mjs and the ${differing} differ; make them agree first`;
}

const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * Returns the values of the template placeholders.
 *
 * @param {string} name `gift-cards`
 * @param {Date} now the time of the first migration
 */
export function placeholders(name, now) {
  const pascal = name.split('-').map(capitalized).join('');
  const second = new Date(Math.floor(now.getTime() / 1_000) * 1_000);
  return {
    __name__: name,
    __Name__: pascal,
    __variable__: pascal[0].toLowerCase() + pascal.slice(1),
    __stamp__: second.toISOString().slice(0, 19).replaceAll(/[-:]/g, ''),
    __epochMs__: String(second.getTime()),
  };
}
