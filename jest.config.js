const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  // As .swcrc says: what is tested is what is built
  transform: { '^.+\\.ts$': '@swc/jest' },
};

const roots = ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'];

/**
 * Three sizes: small needs nothing, medium real PostgreSQL and Redis, e2e the started apps over HTTP; faults too are of that
 * size, and start apps of their own, which they kill. Scale fills a database for minutes and is no part of `npm test`.
 */
export default {
  projects: [
    {
      ...common,
      displayName: 'small',
      roots,
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.(medium|scale)\\.spec\\.ts$', '/dist/'],
    },
    {
      ...common,
      displayName: 'medium',
      roots,
      testMatch: ['**/*.medium.spec.ts'],
      globalSetup: '<rootDir>/tools/test/medium-setup.mjs',
      globalTeardown: '<rootDir>/tools/test/medium-teardown.mjs',
      setupFilesAfterEnv: ['<rootDir>/tools/test/patience.mjs'],
    },
    {
      ...common,
      displayName: 'e2e',
      roots: ['<rootDir>/e2e'],
      testMatch: ['**/*.e2e.spec.ts'],
      testPathIgnorePatterns: ['<rootDir>/e2e/faults/'],
      globalSetup: '<rootDir>/tools/test/e2e-setup.mjs',
      globalTeardown: '<rootDir>/tools/test/e2e-teardown.mjs',
      setupFilesAfterEnv: ['<rootDir>/tools/test/patience.mjs', '<rootDir>/tools/test/note-secrets.mjs'],
    },
    {
      ...common,
      displayName: 'faults',
      roots: ['<rootDir>/e2e/faults'],
      testMatch: ['**/*.e2e.spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/tools/test/patience.mjs'],
    },
    {
      ...common,
      displayName: 'scale',
      roots: ['<rootDir>/tools/scale'],
      testMatch: ['**/*.scale.spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/tools/test/patience.mjs'],
    },
  ],
};
