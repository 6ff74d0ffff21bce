/** For each rule a file that violates it: path and import. */
export const violationByRule: Readonly<Record<string, { readonly file: string; readonly imports: string }>> = {
  'apps-do-not-import-each-other': { file: 'apps/social/src/planted.ts', imports: '../../catalog/src/fine.js' },
  'libs-do-not-import-apps': { file: 'libs/storage/src/planted.ts', imports: '../../../apps/catalog/src/fine.js' },
  'shipped-code-does-not-import-tools': { file: 'apps/catalog/src/planted.ts', imports: '../../../tools/fine.js' },
  'gateway-has-no-database': { file: 'apps/gateway/src/planted.ts', imports: 'typeorm' },
  'gateway-edge-knows-no-part': { file: 'apps/gateway/src/edge/server/planted.ts', imports: '../../site/fine.js' },
  'gateway-parts-do-not-know-each-other': { file: 'apps/gateway/src/api/planted.ts', imports: '../site/fine.js' },
  'contracts-import-zod-only': { file: 'libs/contracts/src/planted.ts', imports: '../../kernel/src/fine.js' },
  'kernel-imports-nothing': { file: 'libs/kernel/src/planted.ts', imports: 'node:fs' },
  'concurrency-imports-nothing': {
    file: 'libs/concurrency/src/planted.ts',
    imports: '../../kernel/src/fine.js',
  },
  'outbound-imports-no-library': { file: 'libs/outbound/src/planted.ts', imports: '../../kernel/src/fine.js' },
  'rules-know-no-framework': { file: 'apps/catalog/src/products/product.rules.ts', imports: '@nestjs/common' },
  'only-images-know-sharp': { file: 'apps/catalog/src/planted-image.ts', imports: 'sharp' },
  'only-events-know-bullmq': { file: 'apps/social/src/planted-job.ts', imports: 'bullmq' },
  'only-the-cache-knows-lru-cache': { file: 'apps/social/src/planted-cache.ts', imports: 'lru-cache' },
  'only-storage-knows-s3': { file: 'apps/social/src/planted-bucket.ts', imports: '@aws-sdk/client-s3' },
  'shipped-code-does-not-test': { file: 'libs/events/src/planted.ts', imports: '../../testing/src/fine.js' },
  'imports-exist': { file: 'tools/planted.ts', imports: './nowhere.js' },
  'no-cycles': { file: 'tools/circle-back.ts', imports: './circle.js' },
};

/** Further violations of rules. */
export const furtherViolations: readonly { readonly rule: string; readonly file: string; readonly imports: string }[] =
  [
    ...['typeorm', 'bullmq', 'ioredis', 'pg', 'fastify', 'undici'].map((imports) => ({
      rule: 'rules-know-no-framework',
      file: `apps/social/src/choices/${imports}.rules.ts`,
      imports,
    })),
    {
      rule: 'rules-know-no-framework',
      file: 'apps/activity/src/activities/activity.rules.ts',
      imports: '../../../../libs/persistence/src/fine.js',
    },
    {
      rule: 'rules-know-no-framework',
      file: 'libs/rendering/src/planted.ts',
      imports: '@nestjs/common',
    },
    {
      rule: 'rules-know-no-framework',
      file: 'apps/material-rendering/src/textures/metadata/planted.ts',
      imports: 'typeorm',
    },
    {
      rule: 'shipped-code-does-not-test',
      file: 'apps/catalog/src/products/product.service.ts',
      imports: '../testing/fine.js',
    },
  ];

/** Files without a violation, which the violating files import. */
export const validFiles: readonly string[] = [
  'apps/catalog/src/fine.ts',
  'apps/gateway/src/site/fine.ts',
  'apps/catalog/src/testing/fine.ts',
  'libs/kernel/src/fine.ts',
  'libs/persistence/src/fine.ts',
  'libs/testing/src/fine.ts',
  'tools/fine.ts',
];

/** Second file of the cycle of `no-cycles`, which is reported at its first file only. */
export const circleBack = { file: 'tools/circle.ts', imports: './circle-back.js' } as const;

export const packages: readonly string[] = [
  'typeorm',
  '@nestjs/common',
  'sharp',
  'bullmq',
  'ioredis',
  'pg',
  'fastify',
  'undici',
  '@aws-sdk/client-s3',
  'lru-cache',
];
