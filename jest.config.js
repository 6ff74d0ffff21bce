const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  // As .swcrc says: what is tested is what is built
  transform: { '^.+\\.ts$': '@swc/jest' },
};

const e2e = {
  ...common,
  displayName: 'e2e',
  roots: ['<rootDir>/e2e'],
  globalSetup: '<rootDir>/tools/test/e2e-setup.mjs',
  globalTeardown: '<rootDir>/tools/test/e2e-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/tools/test/note-secrets.mjs'],
};

/** Those that see what other tests do on the same stack. All others keep to users of their own, and run side by side. */
const alone = [
  'api/filters', // pages through the users of all
  'api/idempotency', // has more requests open at once than the shop takes of two
  'operation/metrics', // counts the lines of all metrics
  'api/own-writes', // looks for a product among the newest of all
  'pages/pages', // measures how long a page takes, and looks at two at once
  'pages/queue-board', // looks for a job among the newest of all
  'api/refusals', // compares all stored files
].map((name) => `/e2e/${name}.e2e.spec.ts`);

/** Those that start a stack of their own, as the faults do: they take nothing from the one that the others share. */
const ownStack = ['documents/postman', 'operation/tracing'].map((name) => `<rootDir>/e2e/${name}.e2e.spec.ts`);

const roots = ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools', '<rootDir>/e2e'];

/**
 * Three sizes: small needs nothing, medium real PostgreSQL and Redis, e2e the started apps over HTTP; faults and own-stack too
 * are of that size, and start apps of their own, out of what `npm test` or `npm run build` has built. Scale fills a database for minutes and is no part of `npm test`.
 */
export default {
  // 5 seconds, jest's default, is too short for a process start, and for a step of anything on two cores with other work
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'small',
      roots,
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.(medium|e2e|scale)\\.spec\\.ts$', '/dist/'],
    },
    {
      ...common,
      displayName: 'medium',
      roots,
      testMatch: ['**/*.medium.spec.ts'],
      globalSetup: '<rootDir>/tools/test/medium-setup.mjs',
      globalTeardown: '<rootDir>/tools/test/medium-teardown.mjs',
    },
    {
      ...e2e,
      testMatch: ['**/*.e2e.spec.ts'],
      testPathIgnorePatterns: ['<rootDir>/e2e/faults/', ...ownStack, ...alone.map((file) => `<rootDir>${file}`)],
    },
    { ...e2e, testMatch: alone.map((file) => `<rootDir>${file}`), runner: '<rootDir>/tools/test/alone-runner.mjs' },
    {
      ...common,
      displayName: 'faults',
      roots: ['<rootDir>/e2e/faults'],
      testMatch: ['**/*.e2e.spec.ts'],
    },
    { ...common, displayName: 'own-stack', roots: ['<rootDir>/e2e'], testMatch: ownStack },
    {
      ...common,
      displayName: 'scale',
      roots: ['<rootDir>/e2e/scale'],
      testMatch: ['**/*.scale.spec.ts'],
    },
  ],
};
