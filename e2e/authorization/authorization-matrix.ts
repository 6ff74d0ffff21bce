import { operations } from '#contracts';
import { authorization, expected, type Identity } from './authorization-table.js';
import { operationNames } from '../endpoints/endpoint-checks.js';
import { pages, visitors } from './page-table.js';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
];

/** Returns what follows the status in the column of a caller. */
function remark(name: (typeof operationNames)[number], identity: (typeof withValidToken)[number]): string {
  const { code } = expected(name, identity);
  if (identity === 'application' && code !== undefined) return ` \`${code}\``;
  if (identity !== 'other user') return '';
  const { others, shows } = authorization[name];
  if (operations[name].scope === null || others === 'the same') return '';
  if (others === 'their own') return shows ? ' filtered' : ' own';
  return ` \`${others}\``;
}

/** Callers without a valid token. They share a column, because they get the same status. */
const withoutValidToken = ['no token', 'junk', 'revoked', 'expired'] as const satisfies readonly Identity[];
const withValidToken = [
  'read-only',
  'production',
  'other user',
  'owner',
  'application',
] as const satisfies readonly Identity[];

const operationRows = (): string[][] =>
  operationNames.map((name) => [
    ...[`\`${name}\``, operations[name].scope ?? 'none'],
    [...new Set(withoutValidToken.map((identity) => expected(name, identity).status))].join(' or '),
    ...withValidToken.map((identity) => `${expected(name, identity).status}${remark(name, identity)}`),
  ]);

const pageRows = (): string[][] =>
  Object.entries(pages).map(([route, { who, statuses }]) => [
    ...[`\`${route}\``, who, ...statuses.map(String)],
    route.startsWith('POST ') && who !== 'public' ? '403' : '–',
  ]);

/** Returns docs/authorization.md. */
export const asMarkdown = (): string =>
  [
    '# Authorization',
    '',
    'The status of each operation and page for each kind of caller. Each cell is an HTTP request in `npm test`; `npm run matrix` runs only',
    'these tests. Sources: `libs/contracts/src/operations.ts`, `e2e/authorization/authorization-table.ts` and',
    '`e2e/authorization/page-table.ts`. An operation or route without a row fails the compilation or the tests. Update this page:',
    '`WRITE_DOCS=1 npm run --silent jest -- tools/checks/authorization --selectProjects small`.',
    '',
    '## Operations',
    '',
    'All callers send the same request, for a private resource of the owner where the operation has one. _No valid token_ is four',
    'requests: without a token, with an invalid, a revoked and an expired token. _Read-only_ is a token of the owner. _Application_ is a',
    'token with all scopes that the owner has granted to an application. _Production_ is a token of another user with the scope',
    '`production`, which only the operator creates: it permits the listed operations for products of all users, published or not. A',
    'missing scope is 401, as specified. _Filtered_: the response omits private resources. _Own_: it contains those of the caller.',
    '',
    'Operations of the specification accept tokens of applications. Each other operation declares in `tokens` if it does, or the',
    'compilation fails. Webhook endpoints do not: they would receive events after the consent is revoked.',
    '',
    ...table(['operation', 'scope', 'no valid token', ...withValidToken], operationRows()),
    '',
    '## Pages and other routes',
    '',
    '`members`: without a session, 303 to the sign-in. `public`: the session is ignored. Both sessions request resources of the owner;',
    '404 does not reveal that they exist. A form needs the CSRF token of its session.',
    '',
    ...table(['route', 'for', ...visitors, 'without form token'], pageRows()),
    '',
    '## Deny by default',
    '',
    'Every route of the gateway declares `@Operation` (with a scope), `@Page` (with an audience) or `@Public`. The gateway does not start',
    '(`apps/gateway/src/edge/routing/route-check.ts`) with a route that declares nothing or that no controller declares, or with an',
    'operation that has no route or two.',
    '',
    'Services check ownership and trust the caller: a message names its viewer. Redis users limit who may send it',
    '([ADR 21](adr/0021-redis-users.md)).',
    '',
  ].join('\n');
