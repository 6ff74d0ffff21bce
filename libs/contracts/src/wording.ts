import { z } from 'zod';

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/**
 * Returns the message of a failed check whose schema has no message of its own: a clause to append
 * to the path of the field. It names the expected value and never the value that was sent.
 */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be ${issue.minimum} or more` : undefined;
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be ${issue.maximum} or less` : undefined;
    default:
      return undefined;
  }
}

z.config({ customError: messageOf });
