import { acceptsIdempotencyKey, type Operation, type OperationName, operations } from '#contracts';
import {
  type RequestBuilder,
  type RequestParts,
  type Checks,
  countedRequests,
  type OmittedCase,
  type RejectedCase,
  type Row,
  table,
} from './endpoint-table.js';

/** A test case of an operation. endpoints.e2e.spec.ts has the code for each kind. */
export type Check =
  | { readonly kind: 'success'; readonly request: RequestBuilder }
  | { readonly kind: 'lenient' }
  | { readonly kind: 'conditional' }
  | { readonly kind: 'field'; readonly path: string; readonly values: readonly unknown[] }
  | { readonly kind: 'body'; readonly what: string; readonly body: string; readonly path: string }
  | { readonly kind: 'key' }
  | { readonly kind: 'token'; readonly token: 'none' | 'junk' | 'read-only' }
  | ({ readonly kind: 'rejected' } & RejectedCase)
  | ({ readonly kind: 'omitted' } & OmittedCase)
  | { readonly kind: 'method' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'too large'; readonly bytes: number }
  | { readonly kind: 'media type' }
  | { readonly kind: 'limit'; readonly request: RequestParts };

/** Test cases, or the reason why there are none. */
export type Cell = readonly Check[] | string;

const operationOf = (name: OperationName): Operation => operations[name];

/** Returns the path of an operation with parameters and query. */
export function addressOf(name: OperationName, { params = {}, query = {} }: RequestParts): string {
  const path = operationOf(name).path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key]!));
  const texts = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  const search = new URLSearchParams(texts).toString();
  return search === '' ? path : `${path}?${search}`;
}

const asCell = (checks: Checks): Cell =>
  typeof checks === 'string'
    ? checks
    : checks.map((it) => ({ kind: 'code' in it ? 'rejected' : 'omitted', ...it }) as Check);

const defaultBodyLimit = 1024 * 1024;
const open = 'public';
const bodiless = 'no body';

const ofRow =
  (column: 'notMine' | 'unknown' | 'unpublished' | 'secret' | 'violating' | 'impossible') =>
  (name: OperationName): Cell =>
    asCell((table[name] as Row)[column]);

const withBody =
  (checks: (operation: Operation) => readonly Check[]) =>
  (name: OperationName): Cell =>
    operationOf(name).body ? checks(operationOf(name)) : bodiless;

const withToken =
  (token: 'none' | 'junk') =>
  (name: OperationName): Cell =>
    operationOf(name).scope === null ? open : [{ kind: 'token', token }];

function wrongShapes(name: OperationName): Cell {
  const operation = operationOf(name);
  const { body } = operation;
  const fields = Object.entries(table[name].wrong).map(([path, values]) => ({ kind: 'field', path, values }) as Check);
  const bodies: Check[] = [
    { kind: 'body', what: 'broken JSON', body: '{"title": ', path: 'body' },
    { kind: 'body', what: 'an array', body: '[]', path: 'body' },
    { kind: 'body', what: 'a text', body: '"x"', path: 'body' },
    { kind: 'body', what: 'null', body: 'null', path: 'body' },
  ];
  const checks = [
    ...fields,
    ...(body ? bodies : []),
    ...(acceptsIdempotencyKey(operation) ? [{ kind: 'key' } as const] : []),
  ];
  return checks.length > 0 ? checks : 'no parameter';
}

/** Columns of the table: successes, then rejections. */
export const columns = {
  success: (name) => [{ kind: 'success', request: table[name].succeeds }],
  lenient: (name) => (operationOf(name).method === 'GET' ? [{ kind: 'lenient' }] : 'a write'),
  '304 unchanged': (name) => (operationOf(name).conditional ? [{ kind: 'conditional' }] : 'no `ETag`'),
  '401 no token': withToken('none'),
  '401 junk token': withToken('junk'),
  '401 read-only token': (name) =>
    operationOf(name).scope === 'write' ? [{ kind: 'token', token: 'read-only' }] : 'needs only `read`',
  '405 method': () => [{ kind: 'method' }],
  '413 size': withBody(({ bodyLimit = defaultBodyLimit }) => [{ kind: 'too large', bytes: bodyLimit + 1 }]),
  '415 type': withBody(() => [{ kind: 'media type' }]),
  '400 shape': wrongShapes,
  '429 limit': (name) =>
    name in countedRequests
      ? [{ kind: 'limit', request: countedRequests[name as keyof typeof countedRequests] }]
      : 'no rate limit',
  '409 key': (name) =>
    acceptsIdempotencyKey(operationOf(name)) ? withBody(() => [{ kind: 'conflict' }])(name) : 'no POST that writes',
  '403 not mine': ofRow('notMine'),
  '404 unknown': ofRow('unknown'),
  'hidden: unpublished': ofRow('unpublished'),
  'hidden: secret': ofRow('secret'),
  'hidden: violating': ofRow('violating'),
  '422 impossible': ofRow('impossible'),
} as const satisfies Record<string, (name: OperationName) => Cell>;

type Column = keyof typeof columns;
export const columnNames = Object.keys(columns) as Column[];
export const operationNames = Object.keys(table) as OperationName[];

/** Returns the title of a test case, which follows the names of operation and column. */
export function titleOf(check: Check): string {
  switch (check.kind) {
    case 'success':
      return 'returns a response valid against its contract';
    case 'lenient':
      return 'accepts a trailing slash, unknown query parameters, and HEAD for safe reads';
    case 'conditional':
      return 'returns 304 for a current entity tag';
    case 'field':
      return `rejects ${check.values.length} invalid values of ${check.path}, naming it`;
    case 'body':
      return `rejects ${check.what} as body`;
    case 'key':
      return 'rejects an Idempotency-Key that is empty, too long or not printable';
    case 'token':
      return `rejects ${{ none: 'a request without a token', junk: 'an invalid token', 'read-only': 'a read-only token' }[check.token]}`;
    case 'rejected':
      return `${check.code}: rejects ${check.what}`;
    case 'omitted':
      return `omits ${check.what}`;
    case 'method':
      return 'returns the allowed methods of its path for another method';
    case 'conflict':
      return 'rejects another body with the same Idempotency-Key';
    case 'too large':
      return `rejects a body of ${check.bytes} bytes`;
    case 'media type':
      return 'rejects a body that is not application/json';
    case 'limit':
      return 'rejects requests above the limit';
  }
}

const countOf = (check: Check): number => (check.kind === 'field' ? check.values.length : 1);

/** Returns the operations without test cases in a column, by reason, most frequent first. */
function reasonsOf(column: Column): [reason: string, names: readonly OperationName[]][] {
  const found = new Map<string, OperationName[]>();
  for (const name of operationNames) {
    const cell: Cell = columns[column](name);
    if (typeof cell === 'string') found.set(cell, [...(found.get(cell) ?? []), name]);
  }
  return [...found].sort(([, some], [, others]) => others.length - some.length);
}

/**
 * Returns the reasons for the empty cells of a column as table rows. The most frequent reason
 * applies to all operations that no other row names.
 */
const reasonRows = (column: Column): string[] =>
  reasonsOf(column).map(([reason, names], index) => {
    const listed = names.map((name) => `\`${name}\``).join(', ');
    return `| ${column} | ${reason} | ${index === 0 ? 'all others' : listed} |`;
  });

/** Returns docs/endpoint-tests.md. */
export function asMarkdown(): string {
  const rows = operationNames.map((name) => {
    const { method, path } = operations[name];
    const cells = columnNames.map((column) => {
      const cell: Cell = columns[column](name);
      return typeof cell === 'string' ? '–' : String(cell.reduce((sum, check) => sum + countOf(check), 0));
    });
    return `| \`${name}\` | \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | ${cells.join(' | ')} |`;
  });
  return [
    '# Endpoint tests',
    '',
    'Number of requests that `e2e/endpoints/endpoints.e2e.spec.ts` sends for each operation and case, by',
    '`e2e/endpoints/endpoint-table.ts`. `–`: the case cannot occur ([reasons](#empty-cells)). _lenient_: a trailing slash, unknown keys,',
    'HEAD. _hidden_: a resource that the caller may not see. Run one cell:',
    '`npm test -- endpoints.e2e --selectProjects e2e -t "choices.get 404 unknown"`. Update this page:',
    '`WRITE_DOCS=1 npm run --silent jest -- tools/checks/endpoint-table --selectProjects small`.',
    '',
    `| operation | address | ${columnNames.join(' | ')} |`,
    `| --- | --- | ${columnNames.map(() => '--:').join(' | ')} |`,
    ...rows,
    '',
    '## Empty cells',
    '',
    '| column | reason | operations |',
    '| --- | --- | --- |',
    ...columnNames.flatMap(reasonRows),
    '',
  ].join('\n');
}
