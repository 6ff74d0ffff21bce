/** Roles of files of apps by suffix, with their descriptions. */
export const fileRoles = {
  adapter: 'implements the interface that a library calls',
  batcher: 'batches requests of concurrent callers',
  cache: 'cached derived values and their invalidation',
  client: 'client of an external server',
  consumer: 'event handlers, one call per method',
  controller: 'message or HTTP handlers, one call per method',
  crypto: 'generates, hashes, encrypts and verifies secrets',
  decoder: 'decodes uploads in a child process',
  decorator: 'Nest decorator',
  dispatcher: 'claims due rows and distributes their work over the processes',
  entity: 'row of a table (TypeORM), without behaviour',
  errors: 'domain errors with their codes',
  fetcher: 'downloads from URLs of clients',
  files: 'reads files that ship with the app',
  filter: 'Nest exception filter',
  form: 'fields of a form and their validation',
  guard: 'Nest guard',
  interceptor: 'Nest interceptor',
  json: 'converts a row to the JSON of a resource',
  limiter: 'limits concurrency or a rate',
  lock: 'distributed lock',
  metrics: 'metrics of a feature',
  module: 'Nest module of an app or a feature',
  queries: 'reads: SQL that returns responses, and parts of it',
  renderer: 'renders images, or calls a renderer',
  repository: 'loads and saves within its transaction',
  rules: 'business rules, without a framework',
  schema: 'zod schemas outside the contracts: of a setting, a file, a reply of a child process',
  service: 'writes: one public method per use case',
  settings: 'settings of a feature, as an injectable type',
  snapshot: 'immutable copy in memory, for responses',
  store: 'blobs of one kind',
  strategy: 'Passport strategy',
  sweeper: 'periodically deletes or repairs rows and blobs',
  texts: 'texts of pages and warnings, in each language',
  view: 'data of a template',
} as const;

/** Folders whose name is the role of all files in them. */
export const roleFolders = {
  migrations: 'migrations, oldest first',
  testing: 'test helpers, which production code does not import',
  metadata: 'parts of image files by format, without a framework',
  children: 'child processes and their sandbox',
  edge: 'HTTP handling of every request, one folder per concern',
  schema: 'documents of the API: hyper-schema, OpenAPI, OAuth metadata',
  docs: 'documentation pages',
  pages: 'shared code of all pages',
  commands: 'operator commands, one noun per file',
  'command-line': 'arguments, flags and help of the operator command',
  connections: 'connections of the operator command',
  drawing: 'reports of bundles that were made from images',
  backup: 'backup and restore',
  listen: 'event stream and forwarding to a local address',
  split: 'move of a service to a separate database',
  verify: 'checks of stored data',
  preview: 'contact sheet of a bundle, and its artworks',
} as const;

/** Files directly in `src` of an app that need no role. */
const topFiles = ['main.ts', 'env.ts'];

/** Files that are exempt from roles. */
export const withoutRole: readonly string[] = [
  // Creates the server of the gateway for `main.ts` and for tests
  'apps/gateway/src/gateway.ts',
  // Fair-queue ticket and deadline of the current call, for texts, textures and images
  'apps/material-rendering/src/caller-ticket.ts',
  'apps/material-rendering/src/late-request.ts',
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
