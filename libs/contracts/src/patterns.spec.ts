import { z } from 'zod';
import { lintErrorsOf, slowWith } from '../../../tools/test/slow-patterns.js';
import { imagePathPattern } from './urls/image-url.js';
import type { MessageTable } from './message.js';
import { services } from './messages/index.js';
import { type Operation, operations } from './operations.js';
import { invisible } from './visible-line.js';

/**
 * Returns every pattern of a schema, including those built into zod, which the linter does not
 * check.
 */
function patternsOf(shape: z.ZodType): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value))
      if (key === 'pattern' && typeof inner === 'string') found.push(inner);
      else collect(inner);
  };
  collect(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }));
  return found;
}

const ofOperations = Object.values<Operation>(operations).flatMap(({ params, query, body }) => [params, query, body]);
const ofMessages = Object.values(services).flatMap((messages) =>
  Object.values(messages as MessageTable).map(({ request }) => request),
);
const ofShapes = new Set([...ofOperations, ...ofMessages].flatMap((shape) => (shape ? patternsOf(shape) : [])));
const patterns = [...[...ofShapes].map((pattern) => new RegExp(pattern, 'u')), imagePathPattern, invisible];

describe('the patterns of the contracts', () => {
  it.each(patterns)('%s matches in linear time', (pattern) => {
    expect(lintErrorsOf(pattern)).toEqual([]);
  });

  it.each(['^(a+)+$', String.raw`\s+$`])('the linter reports %s, which is not linear', (pattern) => {
    expect(lintErrorsOf(new RegExp(pattern, 'u'))).toHaveLength(1);
  });

  it.each(patterns)('%s is fast for 200,000 characters that almost match', (pattern) => {
    expect(slowWith(pattern)).toEqual([]);
  });
});
