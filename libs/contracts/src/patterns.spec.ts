import { type ESLint, Linter } from 'eslint';
import * as regexp from 'eslint-plugin-regexp';
import { z } from 'zod';
import type { MessageTable } from './message.js';
import { services } from './messages/index.js';
import { type Operation, operations } from './operations.js';

/** Every pattern of a schema, those that zod brings itself too, where no linter sees them. */
function patternsOf(shape: z.ZodType): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value))
      if (key === 'pattern' && typeof inner === 'string') found.push(inner);
      else look(inner);
  };
  look(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }));
  return found;
}

const ofOperations = Object.values<Operation>(operations).flatMap(({ params, query, body }) => [params, query, body]);
const ofMessages = Object.values(services).flatMap((messages) =>
  Object.values(messages as MessageTable).map(({ request }) => request),
);
const patterns = [...new Set([...ofOperations, ...ofMessages].flatMap((shape) => (shape ? patternsOf(shape) : [])))];

const rules: Linter.RulesRecord = {
  'regexp/no-super-linear-backtracking': 'error',
  'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
};
const plugins = { regexp: regexp as unknown as ESLint.Plugin };

/** What the linter says of a pattern where it is written down. */
const complaints = (pattern: string): string[] =>
  new Linter().verify(`new RegExp(${JSON.stringify(pattern)}, 'u')`, { plugins, rules }).map(({ message }) => message);

describe('the patterns of the contracts', () => {
  it.each(patterns)('%s takes time in proportion to the text', (pattern) => {
    expect(complaints(pattern)).toEqual([]);
  });

  it.each(['^(a+)+$', String.raw`\s+$`])('are not like %s, which does not', (pattern) => {
    expect(complaints(pattern)).toHaveLength(1);
  });

  it.each(patterns)('%s is quick with 200,000 characters that nearly fit', (pattern) => {
    const expression = new RegExp(pattern, 'u');
    for (const unit of ['a', '1', '-', '.', '@', 'a@', 'a.', '/', ' ']) {
      const since = process.cpuUsage();
      expression.test(`${unit.repeat(200_000 / unit.length)}\n`);
      const { user, system } = process.cpuUsage(since);
      expect([unit, (user + system) / 1000 < 2_000]).toEqual([unit, true]);
    }
  });
});
