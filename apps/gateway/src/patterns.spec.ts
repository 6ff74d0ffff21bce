import { lintErrorsOf, slowWith } from '../../../tools/test/slow-patterns.js';
import { programPaths } from './site/pages/error-page.filter.js';
import { permissions } from './edge/headers/cors.js';
import { filePattern, operationPatterns } from './edge/routing/methods.js';

const patterns = [
  filePattern,
  ...operationPatterns.map(({ pattern }) => pattern),
  ...permissions.map(({ at }) => at),
  programPaths,
];

describe('patterns for paths', () => {
  it.each(patterns)('%s matches in time linear in the path', (pattern) => {
    expect(lintErrorsOf(pattern)).toEqual([]);
    expect(slowWith(pattern)).toEqual([]);
  });
});
