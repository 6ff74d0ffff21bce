import { createRequire } from 'node:module';
import js from '@eslint/js';
import * as regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// Packages that next-auth, a client in the tests, depends on: package.json overrides `next` and
// `react-dom`
const { devDependencies, overrides } = createRequire(import.meta.url)('./package.json');
const nextAuthPackages = [...Object.keys(overrides['next-auth']), 'react'];
const notShipped = [...new Set([...Object.keys(devDependencies), ...nextAuthPackages])].flatMap((name) => [
  name,
  `${name}/*`,
]);

const injectedClass = {
  selector: "CallExpression[callee.name='Inject'][arguments.0.type='Identifier'][arguments.0.name=/[a-z]/]",
  message: 'Nest injects a class by the type of the parameter; @Inject is for tokens that are not classes.',
};
const spreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties into the outer object; the formatter decides how many fit on a line.',
};
const factory = {
  selector: "Property[key.name='useFactory']",
  message: 'Inject a class by its type; provide a value derived from settings with { provide, useValue }.',
};
const builtPattern = {
  selector: ":matches(NewExpression, CallExpression)[callee.name='RegExp']:not([arguments.0.type='Literal'])",
  message:
    'Linters do not check patterns built at run time: write a literal, or test the pattern in a patterns.spec.ts.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      '.data*/**',
      'coverage/**',
      'blanks/source/**',
      'libs/demo-shop/artwork/**',
      // Generated
      'docs/clients/openapi.d.ts',
    ],
  },
  js.configs.recommended,
  regexp.configs['flat/recommended'],
  {
    rules: {
      // In addition to no-super-linear-backtracking: a pattern without an anchor is quadratic, too
      'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
      // Off: the published schemas show the patterns exactly as in the specification
      'regexp/prefer-d': 'off',
      // Off: with `u` the flag folds more letters than ASCII, and a range is more explicit
      'regexp/use-ignore-case': 'off',
      'regexp/prefer-w': 'off',
      // Off: the alternative needs a flag that changes every dot of the pattern
      'regexp/match-any': 'off',
      // Off: standards and Unicode scripts are defined as ranges
      'regexp/no-obscure-range': 'off',
    },
  },
  {
    rules: {
      'no-restricted-syntax': ['error', injectedClass, spreadLiteral],
      // Comments wrap at 100 columns; Prettier formats code, and does not wrap comments
      'max-len': ['error', { code: 1000, comments: 100, ignoreUrls: true }],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Numbers and booleans in messages are intended
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Off: pixel loops index typed arrays, where a check per pixel would double the cost of the
      // loop
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Nest modules are classes without members
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Arrow shorthands such as `() => void promise` and `() => log.info()` are allowed
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Off: Nest declares option types as classes that are never instantiated
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Off: a type parameter that is used once ties the name of a message to its payload
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read the environment in env.ts through #config only.' },
      ],
    },
  },
  {
    // Files that may read the environment: its parser (libs/config), each env.ts, tools and tests
    files: ['**/env.ts', 'libs/config/**', 'tools/**', 'e2e/**', '**/*.spec.ts', 'libs/testing/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**', 'libs/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: notShipped, message: 'It is for tests and tools only.' }] },
      ],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': ['error', injectedClass, spreadLiteral, builtPattern],
    },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', injectedClass, spreadLiteral, builtPattern, factory] },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Buffer: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['apps/gateway/assets/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'location', 'addEventListener', 'matchMedia', 'FormData', 'XMLHttpRequest', 'DOMParser'],
          'SwaggerUIBundle',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.spec.ts', 'e2e/**'],
    rules: {
      // Off in tests: response bodies are untyped JSON until an expectation checks them
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
