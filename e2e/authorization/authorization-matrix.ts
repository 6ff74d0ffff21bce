import { operations } from '#contracts';
import { authorization, expected, type Identity } from './authorization-table.js';
import { operationNames } from '../endpoints/endpoint-checks.js';
import { pages, visitors } from './page-table.js';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
];

/** Returns the remark on the status for another user. */
function remark(name: (typeof operationNames)[number]): string {
  const { others, shows } = authorization[name];
  if (operations[name].scope === null || others === 'the same') return '';
  if (others === 'their own') return shows ? ' filtered' : ' own';
  return ` \`${others}\``;
}

/** Callers without a valid token, which all get the same status. */
const withoutToken = ['no token', 'junk', 'revoked', 'expired'] as const satisfies readonly Identity[];
const withToken = ['read-only', 'other user', 'owner'] as const satisfies readonly Identity[];

const operationRows = (): string[][] =>
  operationNames.map((name) => [
    ...[`\`${name}\``, operations[name].scope ?? 'none'],
    [...new Set(withoutToken.map((identity) => expected(name, identity).status))].join(' or '),
    ...withToken.map(
      (identity) => `${expected(name, identity).status}${identity === 'other user' ? remark(name) : ''}`,
    ),
  ]);

const pageRows = (): string[][] =>
  Object.entries(pages).map(([route, { who, answers }]) => [
    ...[`\`${route}\``, who, ...answers.map(String)],
    route.startsWith('POST ') && who !== 'public' ? '403' : '–',
  ]);

/** Returns both matrices as Markdown. */
export const asMarkdown = (): string =>
  [
    '# Authorization',
    '',
    'The status of each operation and page for each kind of caller. Each cell is an HTTP request in `npm test`; `npm run matrix` runs only',
    'these tests (`choices.update other user: 403 choice.not-owned`). Sources: the contracts (`libs/contracts/src/operations.ts`),',
    '`e2e/authorization/authorization-table.ts`, without whose row an operation does not compile, and `e2e/authorization/page-table.ts`, without',
    'whose row a route fails `tools/checks/authorization.spec.ts`. Update this page:',
    '`WRITE_DOCS=1 npm run --silent jest -- tools/checks/authorization --selectProjects small`.',
    '',
    '## Operations',
    '',
    'All callers send the same request, about a private resource of the owner where the operation has one. _No valid token_ is four',
    'requests: without a token, with junk, with a revoked and with an expired token of the owner. The read-only token is one of the owner, too.',
    'A token in the query or body does not authenticate. A missing scope is 401, as specified.',
    '',
    '_Filtered_: the response omits what only the owner may see. _Own_: the response is about the resources of the caller.',
    '',
    ...table(['operation', 'scope', 'no valid token', ...withToken], operationRows()),
    '',
    '## Pages and other routes',
    '',
    '`members`: without a session, 303 to the sign-in. `public`: the session is ignored. A form must have the CSRF token of its own visit.',
    "Both sessions request the owner's resources; 404 does not reveal that they exist.",
    '',
    ...table(['route', 'for', ...visitors, 'without form token'], pageRows()),
    '',
    '## Deny by default',
    '',
    'Every route of the gateway declares `@Operation` (with a scope), `@Page` (with an audience) or `@Public`. The gateway does not start',
    '(`apps/gateway/src/edge/routing/route-check.ts`) with a route that declares nothing or was added by something else, or with an',
    'operation that has no route or two.',
    '',
    'Services enforce ownership and trust the gateway: a message names its viewer, so a process that can write to the Redis of requests',
    'can act as any user.',
    '',
  ].join('\n');
