// Import rules. Every rule has a violation in planted.ts, and a test that it is reported.
const app = '^apps/([^/]+)/';
const outside = { dependencyTypesNot: ['core'] };

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
module.exports = [
  {
    name: 'apps-do-not-import-each-other',
    comment:
      'An app uses another one through its messages and events in contracts only. apps/migrations.ts lists the migrations of all services, for programs that run them.',
    severity: 'error',
    // A test of the operator command fills the tables of all services
    from: { path: app, pathNot: ['^apps/operator/src/testing/', '^apps/operator/.*[.]spec[.]ts$'] },
    to: { path: '^apps/', pathNot: ['^apps/$1/', '^apps/migrations[.]ts$'] },
  },
  {
    name: 'libs-do-not-import-apps',
    comment: 'A library that imports an app is not reusable by another one.',
    severity: 'error',
    from: { path: '^libs/' },
    to: { path: '^(apps|e2e)/' },
  },
  {
    name: 'shipped-code-does-not-import-tools',
    comment:
      'Tools may import everything, nothing that ships imports them. The test library uses their search for a free port.',
    severity: 'error',
    from: { path: '^(libs|apps)/', pathNot: ['^libs/testing/', '[.]spec[.]ts$'] },
    to: { path: '^tools/' },
  },
  {
    name: 'gateway-has-no-database',
    comment: 'The gateway reads no tables and consumes no event queues. Events reach it as broadcasts only.',
    severity: 'error',
    from: { path: '^apps/gateway/' },
    to: { path: ['^libs/(persistence|events)/', 'node_modules/(pg|typeorm|bullmq)/'] },
  },
  {
    name: 'gateway-edge-knows-no-part',
    comment: 'Every request passes the edge, which depends on no operation or page. GatewayModule composes them.',
    severity: 'error',
    from: { path: '^apps/gateway/src/edge/' },
    to: { path: '^apps/gateway/src/[^/]+/', pathNot: '^apps/gateway/src/(edge|testing)/' },
  },
  {
    name: 'gateway-parts-do-not-know-each-other',
    comment: 'API, site, images and OAuth endpoints share only the edge.',
    severity: 'error',
    from: { path: '^apps/gateway/src/([^/]+)/', pathNot: '^apps/gateway/src/(edge|testing)/' },
    to: { path: '^apps/gateway/src/[^/]+/', pathNot: '^apps/gateway/src/($1|edge|testing)/' },
  },
  {
    name: 'contracts-import-zod-only',
    comment: 'All other code depends on the contracts. node:crypto signs image URLs.',
    severity: 'error',
    from: { path: '^libs/contracts/', pathNot: '[.]spec[.]ts$' },
    to: { ...outside, pathNot: ['^libs/contracts/', 'node_modules/zod/'] },
  },
  {
    name: 'kernel-imports-nothing',
    comment: 'Shared rules depend on no framework.',
    severity: 'error',
    from: { path: '^libs/kernel/', pathNot: '[.]spec[.]ts$' },
    to: { pathNot: '^libs/kernel/' },
  },
  {
    name: 'concurrency-imports-nothing',
    comment:
      'Limits and queues are used everywhere; their callers provide errors and metrics. node:async_hooks keeps the context of a caller.',
    severity: 'error',
    from: { path: '^libs/concurrency/', pathNot: '[.]spec[.]ts$' },
    to: { pathNot: ['^libs/concurrency/', '^(node:)?async_hooks$'] },
  },
  {
    name: 'outbound-imports-no-library',
    comment:
      'Any app can use the guard of outbound requests: it depends on no other library, and callers map its errors.',
    severity: 'error',
    from: { path: '^libs/outbound/', pathNot: '[.]spec[.]ts$' },
    to: { path: '^libs/', pathNot: '^libs/outbound/' },
  },
  {
    name: 'rules-know-no-framework',
    comment:
      'A file of rules (product.rules.ts), the rendering library and the readers of image files run anywhere: no framework, no database, no queue, no server.',
    severity: 'error',
    from: {
      path: ['^apps/.*[.]rules[.]ts$', '^libs/rendering/', '^apps/material-rendering/src/textures/metadata/'],
      pathNot: ['[.]spec[.]ts$', '/testing/'],
    },
    to: {
      path: [
        'node_modules/(@nestjs/[^/]+|typeorm|bullmq|ioredis|pg|fastify|undici)/',
        '^libs/(persistence|events|request-queue)/',
      ],
    },
  },
  {
    name: 'only-images-know-sharp',
    comment: 'Every process opens images with the same decoders and limits.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^libs/images/', '[.]spec[.]ts$'] },
    to: { path: 'node_modules/sharp/' },
  },
  {
    name: 'only-events-know-bullmq',
    comment: 'Only the events library adds and processes jobs.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^libs/events/', '[.]spec[.]ts$', '/testing/'] },
    to: { path: 'node_modules/bullmq/' },
  },
  {
    name: 'only-the-cache-knows-lru-cache',
    comment: 'Every cache is bounded in bytes and has metrics, so it uses the cache library.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: '^libs/cache/' },
    to: { path: 'node_modules/lru-cache/' },
  },
  {
    name: 'only-storage-knows-s3',
    comment: 'Only the storage library accesses buckets.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^libs/storage/', '[.]spec[.]ts$'] },
    to: { path: 'node_modules/@aws-sdk/' },
  },
  {
    name: 'shipped-code-does-not-test',
    comment:
      'The test library and the folders testing/ start servers and fake services; nothing that ships may pull them in.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^libs/testing/', '[.]spec[.]ts$', '/testing/'] },
    to: { path: ['^libs/testing/', '^(apps|libs)/.*/testing/'] },
  },
  {
    name: 'imports-exist',
    comment: 'All rules match resolved paths, so an unresolved import escapes them.',
    severity: 'error',
    from: { path: '^(apps|libs|tools|e2e)/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'no-cycles',
    comment: 'Files must not import each other: merge them, or extract the shared part.',
    severity: 'error',
    from: { path: '^(apps|libs|tools|e2e)/' },
    to: { circular: true },
  },
];
