import { numberOf } from './number-of.js';

it('rejects an option that is not a number with its name', () => {
  expect(numberOf('rounds', '3')).toBe(3);
  for (const wrong of ['three', '', ' ', '0', '-1', 'NaN', 'Infinity'])
    expect(() => numberOf('rounds', wrong)).toThrow('--rounds must be a number above 0');
});
