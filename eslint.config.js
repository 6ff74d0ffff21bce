import { createRequire } from 'node:module';
import js from '@eslint/js';
import * as regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// What next-auth, a client in the tests, brings along: `next` and `react-dom` are another package there, see package.json
const { devDependencies, overrides } = createRequire(import.meta.url)('./package.json');
const broughtAlong = [...Object.keys(overrides['next-auth']), 'react'];
const notShipped = [...new Set([...Object.keys(devDependencies), ...broughtAlong])].flatMap((name) => [
  name,
  `${name}/*`,
]);

const injectedClass = {
  selector: "CallExpression[callee.name='Inject'][arguments.0.type='Identifier'][arguments.0.name=/[a-z]/]",
  message: 'Nest injects a class by the type of the parameter; @Inject is for tokens that are no class.',
};
const spreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties where they belong: the formatter decides how many stand on a line.',
};
const factory = {
  selector: "Property[key.name='useFactory']",
  message: 'A class is injected by its type; what is made of settings is a value: { provide, useValue }.',
};
const builtPattern = {
  selector: ":matches(NewExpression, CallExpression)[callee.name='RegExp']:not([arguments.0.type='Literal'])",
  message: 'No linter sees what is built at run time: write a literal, or give it to a patterns.spec.ts.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      '.data*/**',
      'coverage/**',
      'apps/material-rendering/blanks-source/**',
      'libs/demo-shop/artwork/**',
      // Generated
      'docs/clients/openapi.d.ts',
    ],
  },
  js.configs.recommended,
  regexp.configs['flat/recommended'],
  {
    rules: {
      // Beside no-super-linear-backtracking: what is searched for everywhere in a text is quadratic too
      'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
      // Off: the published schemas show the patterns of the specification as it writes them
      'regexp/prefer-d': 'off',
      // Off: the flag makes more letters equal than the two cases of ASCII, with `u`, and says less than the range
      'regexp/use-ignore-case': 'off',
      'regexp/prefer-w': 'off',
      // Off: the other way to say any character needs a flag, which changes every dot of the pattern
      'regexp/match-any': 'off',
      // Off: standards and scripts are written as ranges
      'regexp/no-obscure-range': 'off',
    },
  },
  { rules: { 'no-restricted-syntax': ['error', injectedClass, spreadLiteral] } },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Off: numbers in messages are what templates are for
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Off: pixel loops index typed arrays; a check per pixel would cost what the loop costs
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Off: Nest modules are classes whose decorator is their content
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Off for arrow shorthands: `() => void promise` and `() => log.info()` read better on one line
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Off: Nest declares its option shapes as classes, and nobody makes instances of them
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Off: a type parameter used once is what ties a message's name to its payload
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read the environment in env.ts through #config only.' },
      ],
    },
  },
  {
    // The places that may read the environment: the parser itself, each env.ts, and the tools that start processes
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
    files: ['**/*.spec.ts', 'e2e/**'],
    rules: {
      // Off in tests: bodies of answers are any JSON until an expectation says what they are
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
