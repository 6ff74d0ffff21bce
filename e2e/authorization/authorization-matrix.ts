import { operations } from '#contracts';
import { authorization, expected, identities } from './authorization-table.js';
import { operationNames } from '../endpoints/endpoint-checks.js';
import { pages, visitors } from './page-table.js';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((cells) => `| ${cells.join(' | ')} |`),
];

/** What another user is told beside the status. */
function remark(name: (typeof operationNames)[number]): string {
  const { others, shows } = authorization[name];
  if (operations[name].scope === null || others === 'the same') return '';
  if (others === 'their own') return shows ? " without the owner's" : ' their own';
  return ` \`${others}\``;
}

const operationRows = (): string[][] =>
  operationNames.map((name) => [
    ...[`\`${name}\``, operations[name].scope ?? 'none'],
    ...identities.map(
      (identity) => `${expected(name, identity).status}${identity === 'other user' ? remark(name) : ''}`,
    ),
  ]);

const pageRows = (): string[][] =>
  Object.entries(pages).map(([route, { who, answers }]) => [
    ...[`\`${route}\``, who, ...answers.map(String)],
    route.startsWith('POST ') && who !== 'public' ? '403' : '–',
  ]);

/** Both matrices as Markdown. */
export const asMarkdown = (): string =>
  [
    '# Who may do what',
    '',
    'Two matrices of statuses. Each cell is a request over HTTP in `npm test`; `npm run matrix` runs these tests alone and',
    'prints them: `choices.update other user: 403 choice.not-owned`. What is expected is made of the contracts',
    '(`libs/contracts/src/operations.ts`) and one row for each operation in `e2e/authorization/authorization-table.ts` and for each other',
    'route in `e2e/authorization/page-table.ts`: without its row a new operation does not compile, and a new route fails',
    '`tools/checks/authorization.spec.ts`. To write this page again:',
    '`WRITE_DOCS=1 npm run --silent jest -- tools/checks/authorization --selectProjects small`.',
    '',
    '## Operations of the API',
    '',
    'All identities send the same request, about something of the owner that is as private as the operation knows. The',
    'revoked, the expired and the read-only token are tokens of the owner. A token in the address or in the body is no',
    'token. A token without the scope is answered 401, as the specification says.',
    '',
    ...table(['operation', 'scope', ...identities], operationRows()),
    '',
    "_Without the owner's_: the same question is answered, and what the owner alone may see is not in the answer. _Their",
    'own_: it is about the things of whoever asks.',
    '',
    '## Pages and everything else',
    '',
    '`members` are sent to the sign-in without a session (303). A form must carry the token of its own visit, whoever',
    'sends it; what is `public` looks at no session, so that nobody can misuse one. Things of the owner are asked for by',
    'both sessions: 404 says nothing about them.',
    '',
    ...table(['route', 'for', ...visitors, 'without the token of the form'], pageRows()),
    '',
    '## Deny by default',
    '',
    'Every route of the gateway declares `@Operation`, and with it a scope, `@Page` with its audience, or `@Public`. With a',
    'route that declares nothing the gateway does not start (`apps/gateway/src/edge/routing/route-check.ts`); neither with',
    'one that something else has added to the server, nor with an operation that has no route or two.',
    '',
    'The services behind the gateway trust it: a message names its viewer, and whoever can write to the Redis of the',
    'requests can be anybody. What belongs to whom is decided by the services, never by the gateway.',
    '',
  ].join('\n');
