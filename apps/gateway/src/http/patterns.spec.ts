import { complaintsOf, slowWith } from '../../../../tools/test/slow-patterns.js';
import { forPrograms } from '../pages/error-page.js';
import { originPatterns } from './cors.js';
import { methodPatterns } from './methods.js';

const patterns = [...methodPatterns, ...originPatterns, forPrograms];

describe('the patterns that addresses are held against', () => {
  it.each(patterns)('%s takes time in proportion to the address', (pattern) => {
    expect(complaintsOf(pattern)).toEqual([]);
    expect(slowWith(pattern)).toEqual([]);
  });
});
