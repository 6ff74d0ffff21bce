import { z } from 'zod';
import { complaintsOf, slowWith } from '../../../tools/test/slow-patterns.js';
import { imagePathPattern } from './image-url.js';
import type { MessageTable } from './message.js';
import { services } from './messages/index.js';
import { type Operation, operations } from './operations.js';
import { invisible } from './visible-line.js';

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
const ofShapes = new Set([...ofOperations, ...ofMessages].flatMap((shape) => (shape ? patternsOf(shape) : [])));
const patterns = [...[...ofShapes].map((pattern) => new RegExp(pattern, 'u')), imagePathPattern, invisible];

describe('the patterns of the contracts', () => {
  it.each(patterns)('%s takes time in proportion to the text', (pattern) => {
    expect(complaintsOf(pattern)).toEqual([]);
  });

  it.each(['^(a+)+$', String.raw`\s+$`])('are not like %s, which does not', (pattern) => {
    expect(complaintsOf(new RegExp(pattern, 'u'))).toHaveLength(1);
  });

  it.each(patterns)('%s is quick with 200,000 characters that nearly fit', (pattern) => {
    expect(slowWith(pattern)).toEqual([]);
  });
});
