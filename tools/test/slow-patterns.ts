import { type ESLint, Linter } from 'eslint';
import * as regexp from 'eslint-plugin-regexp';

// Whether a pattern that is built at run time, where no linter sees it, takes time in proportion to the text.

const rules: Linter.RulesRecord = {
  'regexp/no-super-linear-backtracking': 'error',
  'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
};
const plugins = { regexp: regexp as unknown as ESLint.Plugin };

/** What the linter says of a pattern where it is written down. */
export const complaintsOf = (pattern: RegExp): string[] =>
  new Linter().verify(String(pattern), { plugins, rules }).map(({ message }) => message);

const units = ['a', '1', '-', '.', '@', 'a@', 'a.', '/', 'a/', '/a', ' '];

/** What 200,000 characters that nearly fit consist of, when they take two seconds of processor time. */
export const slowWith = (pattern: RegExp): string[] =>
  units.filter((unit) => {
    const since = process.cpuUsage();
    pattern.test(`${unit.repeat(200_000 / unit.length)}\n`);
    const { user, system } = process.cpuUsage(since);
    return (user + system) / 1_000 >= 2_000;
  });
