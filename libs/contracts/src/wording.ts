import { z } from 'zod';

const names: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/**
 * How a failed check is told to a client when the shape says nothing itself: one clause that fits behind the path.
 * Only what is expected is named, never what was sent.
 */
function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${names[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be ${issue.minimum} or more` : undefined;
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be ${issue.maximum} or less` : undefined;
    default:
      return undefined;
  }
}

z.config({ customError: wording });
