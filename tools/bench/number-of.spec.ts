import { numberOf } from './number-of.js';

it('an option that is no number is refused by its name', () => {
  expect(numberOf('rounds', '3')).toBe(3);
  for (const wrong of ['three', '', ' ', '0', '-1', 'NaN', 'Infinity'])
    expect(() => numberOf('rounds', wrong)).toThrow('--rounds must be a number above 0');
});
