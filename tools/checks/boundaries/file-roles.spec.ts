import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#config';
import { fileRoles, hasRole, roleFolders, withoutRole } from './file-roles.js';

/** Sources of all apps, as paths in the project. */
const sources = readdirSync(projectPath('apps'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(projectPath('apps', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join('apps', name, 'src', file)),
  );

it('finds the sources of every app', () => {
  expect(sources).toEqual(
    expect.arrayContaining(['apps/gateway/src/main.ts', 'apps/operator/src/main.ts', 'apps/catalog/src/main.ts']),
  );
});

it('every file of an app has a role by its suffix or its folder', () => {
  expect(sources.filter((path) => !hasRole(path))).toEqual([]);
});

it('every file exempt from roles exists', () => {
  expect(withoutRole.filter((path) => !sources.includes(path))).toEqual([]);
});

it.each([
  'apps/catalog/src/products/product.ts',
  'apps/catalog/src/products/product-rules.ts',
  'apps/catalog/src/products/product.helper.ts',
  'apps/catalog/src/utilities.ts',
  'apps/catalog/src/products/main.ts',
  'apps/seed/src/seed-all.ts',
  'apps/gateway/src/site/shop/prices.ts',
])('%s has no role', (path) => {
  expect(hasRole(path)).toBe(false);
});

it('every role and every folder is in use', () => {
  const unused = [
    ...Object.keys(fileRoles).filter((role) => !sources.some((path) => path.endsWith(`.${role}.ts`))),
    ...Object.keys(roleFolders).filter((folder) => !sources.some((path) => path.includes(`/${folder}/`))),
  ];
  expect(unused).toEqual([]);
});

const listOf = (roles: Readonly<Record<string, string>>, spelled: (role: string) => string): string =>
  Object.entries(roles)
    .map(([role, is]) => `- \`${spelled(role)}\`: ${is}`)
    .join('\n');

it('docs/file-roles.md lists all roles and folders', () => {
  const page = readFileSync(projectPath('docs/file-roles.md'), 'utf8');
  expect(page).toContain(`\n${listOf(fileRoles, (role) => `.${role}.ts`)}\n`);
  expect(page).toContain(`\n${listOf(roleFolders, (folder) => `${folder}/`)}\n`);
});
