import { numberOf } from './number-of.js';

it('returns a positive number, and rejects other values with the name of the option', () => {
  expect(numberOf('rounds', '3')).toBe(3);
  for (const wrong of ['three', '', ' ', '0', '-1', 'NaN', 'Infinity'])
    expect(() => numberOf('rounds', wrong)).toThrow('--rounds must be a number above 0');
});
