import { type ESLint, Linter } from 'eslint';
import * as regexp from 'eslint-plugin-regexp';

// Checks that patterns built at run time, which linters do not see, take time proportional to the
// text.

const rules: Linter.RulesRecord = {
  'regexp/no-super-linear-backtracking': 'error',
  'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
};
const plugins = { regexp: regexp as unknown as ESLint.Plugin };

/** Returns the linter messages about a pattern. */
export const lintErrorsOf = (pattern: RegExp): string[] =>
  new Linter().verify(String(pattern), { plugins, rules }).map(({ message }) => message);

const units = ['a', '1', '-', '.', '@', 'a@', 'a.', '/', 'a/', '/a', ' '];

/**
 * Returns the units for which a pattern takes two seconds of CPU time or more on 200,000 characters
 * of the repeated unit, followed by a line break.
 */
export const slowWith = (pattern: RegExp): string[] =>
  units.filter((unit) => {
    const since = process.cpuUsage();
    pattern.test(`${unit.repeat(200_000 / unit.length)}\n`);
    const { user, system } = process.cpuUsage(since);
    return (user + system) / 1_000 >= 2_000;
  });
