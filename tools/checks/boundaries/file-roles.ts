/** Roles of files of apps by suffix, with their descriptions. */
export const fileRoles = {
  adapter: 'the part that one library calls: the OAuth server of a package',
  batcher: 'joins single requests of many callers into one',
  cache: 'derived values in memory, with what invalidates them',
  client: 'sends requests to servers that are not ours',
  consumer: 'events in: one call per method',
  controller: 'messages or HTTP in: one call per method',
  crypto: 'makes, hashes, encrypts and verifies secrets',
  decoder: 'opens bytes of clients in a child process',
  decorator: 'a decorator of Nest',
  entity: 'the row (TypeORM), no behaviour',
  errors: 'errors of the domain with their codes',
  fetcher: 'fetches bytes from addresses that clients name',
  files: 'reads files that ship with the app',
  filter: 'an exception filter of Nest',
  form: 'fields of a form, and what is checked in them',
  guard: 'a guard of Nest',
  interceptor: 'an interceptor of Nest',
  json: 'a row to the JSON of a resource',
  limiter: 'bounds what runs at once, or how often something may happen',
  lock: 'a lock that all processes share',
  metrics: 'metrics of a part',
  module: 'the table of contents of an app or a part',
  queries: 'reads: SQL to response, and pieces of such SQL',
  renderer: 'makes images, or has them made',
  repository: 'loads and saves; owns the transaction',
  rules: 'rules of the business: knows no framework',
  schema: 'zod schemas of what is not in contracts: a setting, a file, a reply of a child process',
  service: 'writes: one public method per use case',
  settings: 'the settings of a part, as a type to inject',
  snapshot: 'an immutable copy in memory that responses are made of',
  store: 'bytes in the blob store',
  strategy: 'a strategy of Passport',
  sweeper: 'deletes or repairs rows and files from time to time',
  texts: 'texts for people, in each language',
  view: 'what a template shows',
} as const;

/** Folders whose name is the role of all files in them. */
export const roleFolders = {
  migrations: 'changes of the schema, oldest first',
  testing: 'helpers of tests: nothing that ships imports them',
  pipeline: 'pixels: knows no framework, but sharp',
  metadata: 'the parts of image files, by format: knows no framework',
  children: 'child processes, the sandbox that they run in, and the frames between them and the app',
  edge: 'HTTP: what every request passes, a folder for each concern',
  schema: 'the documents of the API: hyper-schema, OpenAPI, OAuth metadata',
  docs: 'the pages of the documents',
  pages: 'what every page of the site is made with',
  commands: 'commands of the operator, one noun per file',
  'command-line': 'arguments, flags and help of the operator command',
  connections: 'the servers that the operator command works on',
  backup: 'backup and restore',
  split: 'the move of a service to a database of its own',
  verify: 'checks of the data of an installation',
} as const;

/** Files directly in `src` of an app that need no role. */
const topFiles = ['main.ts', 'env.ts'];

/** Files without a role. */
export const withoutRole: readonly string[] = [
  // Creates the server of the gateway for `main.ts` and for tests
  'apps/gateway/src/gateway.ts',
];

/** Returns whether a file of an app has a role by its suffix or its folder. */
export function hasRole(path: string): boolean {
  const [, , , ...inside] = path.split('/');
  const name = inside.pop()!;
  if (name.endsWith('.spec.ts') || inside.some((folder) => folder in roleFolders)) return true;
  if (inside.length === 0 && topFiles.includes(name)) return true;
  const [, role] = /\.([a-z]+)\.ts$/.exec(name) ?? [];
  return (role !== undefined && role in fileRoles) || withoutRole.includes(path);
}
