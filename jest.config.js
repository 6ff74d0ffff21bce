const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  // Compiled with .swcrc, as the build, so that tests run the code that ships
  transform: { '^.+\\.ts$': '@swc/jest' },
};

const e2e = {
  ...common,
  displayName: 'e2e',
  roots: ['<rootDir>/e2e'],
  globalSetup: '<rootDir>/tools/test/e2e-setup.mjs',
  globalTeardown: '<rootDir>/tools/test/e2e-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/tools/test/record-secrets.mjs'],
};

/**
 * Tests that other tests on the same stack would disturb; they run alone. All other tests create
 * their own users and run in parallel.
 */
const alone = [
  'api/filters', // pages through the users of all tests
  'api/idempotency', // opens more concurrent requests than the shop accepts from two tests
  'operation/metrics', // counts the lines of all metrics
  'api/own-writes', // expects a product among the newest of the shop
  'pages/pages', // measures page times, and compares two pages
  'pages/queue-board', // expects a job among the newest of the queue
  'api/rejections', // compares all stored files
].map((name) => `/e2e/${name}.e2e.spec.ts`);

/** Tests that start a separate stack, as the fault tests do. */
const ownStack = ['api/previews', 'documents/postman', 'operation/own-items', 'operation/tracing'].map(
  (name) => `<rootDir>/e2e/${name}.e2e.spec.ts`,
);

const roots = ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools', '<rootDir>/e2e'];

/**
 * Test sizes: small tests need no server, medium tests need PostgreSQL and Redis, e2e tests call
 * the running apps over HTTP. The projects faults and own-stack are e2e tests that start their own
 * apps from the output of `npm test` or `npm run build`. The project scale fills a database for
 * minutes and is not part of `npm test`.
 */
export default {
  // A build server may be ten times slower for minutes, and no test expects a timeout of jest
  testTimeout: 180_000,
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
