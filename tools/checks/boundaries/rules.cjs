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
    comment: 'A library that knows an app cannot serve another one.',
    severity: 'error',
    from: { path: '^libs/' },
    to: { path: '^(apps|e2e)/' },
  },
  {
    name: 'shipped-code-does-not-import-tools',
    comment:
      'Tools may import everything, nothing that ships imports them. The test library starts the embedded stack.',
    severity: 'error',
    from: { path: '^(libs|apps)/', pathNot: ['^libs/testing/', '[.]spec[.]ts$'] },
    to: { path: '^tools/' },
  },
  {
    name: 'gateway-has-no-database',
    comment: 'The edge keeps no state: it neither reads tables nor consumes events.',
    severity: 'error',
    from: { path: '^apps/gateway/' },
    to: { path: ['^libs/(persistence|events)/', 'node_modules/(pg|typeorm|bullmq)/'] },
  },
  {
    name: 'gateway-edge-knows-no-part',
    comment: 'Every request passes the edge, whoever answers it: operations and pages are composed by GatewayModule.',
    severity: 'error',
    from: { path: '^apps/gateway/src/edge/' },
    to: { path: '^apps/gateway/src/[^/]+/', pathNot: '^apps/gateway/src/(edge|testing)/' },
  },
  {
    name: 'gateway-parts-do-not-know-each-other',
    comment: 'The API and the site, and all else that answers, share the edge and nothing besides.',
    severity: 'error',
    from: { path: '^apps/gateway/src/([^/]+)/', pathNot: '^apps/gateway/src/(edge|testing)/' },
    to: { path: '^apps/gateway/src/[^/]+/', pathNot: '^apps/gateway/src/($1|edge|testing)/' },
  },
  {
    name: 'contracts-import-zod-only',
    comment: 'Shapes are the ground everything stands on. node:crypto signs image URLs.',
    severity: 'error',
    from: { path: '^libs/contracts/', pathNot: '[.]spec[.]ts$' },
    to: { ...outside, pathNot: ['^libs/contracts/', 'node_modules/zod/'] },
  },
  {
    name: 'kernel-imports-nothing',
    comment: 'Rules that every part shares must run anywhere.',
    severity: 'error',
    from: { path: '^libs/kernel/', pathNot: '[.]spec[.]ts$' },
    to: { pathNot: '^libs/kernel/' },
  },
  {
    name: 'concurrency-imports-nothing',
    comment: 'Limits and queues serve every part. Errors and metrics are given by the code that uses them.',
    severity: 'error',
    from: { path: '^libs/concurrency/', pathNot: '[.]spec[.]ts$' },
    to: { pathNot: '^libs/concurrency/' },
  },
  {
    name: 'rules-know-no-framework',
    comment:
      'A file of rules (product.rules.ts), the pixel pipeline and the readers of image files run anywhere: no framework, no database, no queue, no server.',
    severity: 'error',
    from: {
      path: ['^apps/.*[.]rules[.]ts$', '^apps/material-rendering/src/(pipeline|textures/metadata)/'],
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
    name: 'only-the-pipeline-draws',
    comment: 'One technology, one place: sharp is in the rendering pipeline and in tools that look at images.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^apps/material-rendering/src/pipeline/', '[.]spec[.]ts$'] },
    to: { path: 'node_modules/sharp/' },
  },
  {
    name: 'only-events-know-bullmq',
    comment: 'One technology, one place: jobs are made and taken by the events library.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: ['^libs/events/', '[.]spec[.]ts$'] },
    to: { path: 'node_modules/bullmq/' },
  },
  {
    name: 'only-the-cache-knows-lru-cache',
    comment: 'Every cache is bounded in bytes and has metrics: it is made with the cache library.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: '^libs/cache/' },
    to: { path: 'node_modules/lru-cache/' },
  },
  {
    name: 'only-storage-knows-s3',
    comment: 'One technology, one place: objects of a bucket are read and written by the storage library.',
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
    comment: 'An import that cannot be resolved is not checked by any other rule: all rules match resolved paths.',
    severity: 'error',
    from: { path: '^(apps|libs|tools|e2e)/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'no-cycles',
    comment: 'Two files that need each other are one file, or three.',
    severity: 'error',
    from: { path: '^(apps|libs|tools|e2e)/' },
    to: { circular: true },
  },
];
