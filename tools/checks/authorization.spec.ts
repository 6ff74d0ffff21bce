import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { Type } from '@nestjs/common';
import { projectPath } from '#config';
import { type Operation, operations } from '#contracts';
import { GatewayModule } from '../../apps/gateway/src/gateway.module.js';
import { type Access, audienceIn, operationIn } from '../../apps/gateway/src/edge/routing/access.js';
import { routesOf } from '../../apps/gateway/src/edge/routing/declared-routes.js';
import { asMarkdown } from '../../e2e/authorization/authorization-matrix.js';
import { authorization } from '../../e2e/authorization/authorization-table.js';
import { operationNames } from '../../e2e/endpoints/endpoint-checks.js';
import { pages } from '../../e2e/authorization/page-table.js';

const file = projectPath('docs/authorization.md');

const partsOf = (module: Type, kind: 'imports' | 'controllers'): Type[] =>
  (Reflect.getMetadata(kind, module) ?? []) as Type[];

const audienceOf = (access: Access | undefined): string | undefined =>
  access === 'public' ? access : audienceIn(access);

/** Returns the routes of the gateway other than operations, with the access that each declares. */
function declaredPages(): Record<string, unknown> {
  const controllers = partsOf(GatewayModule, 'imports').flatMap((module) => partsOf(module, 'controllers'));
  const routes = controllers.flatMap((controller) => [...routesOf(controller)]);
  const beside = routes.filter(({ access }) => operationIn(access) === undefined);
  return Object.fromEntries(beside.map(({ method, path, access }) => [`${method} ${path}`, audienceOf(access)]));
}

describe('the authorization matrix', () => {
  it('has a row with the declared access for every route that is not an operation', () => {
    expect(Object.fromEntries(Object.entries(pages).map(([route, { who }]) => [route, who]))).toEqual(declaredPages());
  });

  it('states the rejection of other users for every operation whose contract has a not-owned error', () => {
    const owned = operationNames.flatMap((name) => {
      const { problems = [] }: Operation = operations[name];
      return problems.filter((code) => code.endsWith('.not-owned')).map((code) => [name, code]);
    });
    const rejections = operationNames.map((name) => [name, authorization[name].others]);
    expect(rejections.filter(([, others]) => others!.endsWith('.not-owned'))).toEqual(owned);
  });

  it('equals docs/authorization.md', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
