import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { pino } from 'pino';
import { projectPath } from '#config';
import { type Operation, operations } from '#contracts';
import type { GatewayEnv } from '../apps/gateway/src/env.js';
import { GatewayModule } from '../apps/gateway/src/gateway.module.js';
import { ProblemWriter } from '../apps/gateway/src/edge/errors/problem-writer.js';
import { type Declaration, routesOf } from '../apps/gateway/src/edge/routing/declared-routes.js';
import { asMarkdown } from '../e2e/authorization-matrix.js';
import { authorization } from '../e2e/authorization-table.js';
import { operationNames } from '../e2e/endpoint-checks.js';
import { pages } from '../e2e/page-table.js';

const file = projectPath('docs/authorization.md');

function whoMayCome(declaration: Declaration | undefined): string | undefined {
  if (typeof declaration !== 'object') return declaration;
  return 'page' in declaration ? declaration.page : declaration.operation;
}

/** What the gateway answers beside the operations, and for whom it says that it is. */
function declaredPages(): Record<string, unknown> {
  const env = { REDIS_REQUESTS_URL: 'redis://127.0.0.1' } as GatewayEnv;
  const { controllers = [] } = GatewayModule.with(env, pino({ level: 'silent' }), new ProblemWriter(''));
  const routes = controllers.flatMap((controller) => [...routesOf(controller)]);
  const beside = routes.filter(({ declaration }) => !(typeof declaration === 'object' && 'operation' in declaration));
  return Object.fromEntries(
    beside.map(({ method, path, declaration }) => [`${method} ${path}`, whoMayCome(declaration)]),
  );
}

describe('the authorization matrix', () => {
  it('has a row for every route that is no operation, for whom the route says that it is', () => {
    expect(Object.fromEntries(Object.entries(pages).map(([route, { who }]) => [route, who]))).toEqual(declaredPages());
  });

  it('has an owner for every operation whose contract can refuse one who is not', () => {
    const owned = operationNames.flatMap((name) => {
      const { problems = [] }: Operation = operations[name];
      return problems.filter((code) => code.endsWith('.not-owned')).map((code) => [name, code]);
    });
    const refused = operationNames.map((name) => [name, authorization[name].others]);
    expect(refused.filter(([, others]) => others!.endsWith('.not-owned'))).toEqual(owned);
  });

  it('is what docs/authorization.md shows', async () => {
    const text = await format(asMarkdown(), { ...(await resolveConfig(file)), parser: 'markdown' });
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
