import { idText, TokenScope } from '#contracts';
import { z } from 'zod';
import { UsageError } from './command.js';

// Shared flags and schemas of flag values. Error messages follow the name of the flag.

/** Id of the object of a command: `material clear 12`. */
export const id = { help: 'its id', value: 'ID', type: idText, required: true, positional: true } as const;

/** Confirmation of an irreversible command. */
export const confirmation = { help: 'confirms the command, which cannot be undone' } as const;

/**
 * Rejects an irreversible command without confirmation. The message is `this <effect>: add --yes`.
 */
export function requireConfirmation(yes: boolean, effect: string): void {
  if (!yes) throw new UsageError(`this ${effect}: add --yes`);
}

/** Name of the user of a command: `user show hanako`. */
export const userName = { help: 'user name', value: 'NAME', required: true, positional: true } as const;

export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  const error = `must be a whole number ${range}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(minimum, { error }).max(maximum, { error }));
};

/** Flags of a list that is read in pages. */
export const page = {
  limit: { help: 'number of rows, 1 to 200; default: 50', value: 'N', type: wholeNumber(1, 200) },
  offset: { help: 'number of rows before the first', value: 'N', type: wholeNumber(0) },
} as const;

/** Page of a list; the defaults are those of `page`. */
export const pageRequest = ({ limit = 50, offset = 0 }: { limit: number | undefined; offset: number | undefined }) => ({
  limit,
  offset,
});

/**
 * Parses a date as its midnight in UTC, or a date-time with an offset, independently of the time
 * zone of the machine.
 */
export const pointInTime = z.union(
  [
    z.iso.date().transform((date) => `${date}T00:00:00Z`),
    // With seconds, or without (precision -1)
    z.iso
      .datetime({ offset: true })
      .or(z.iso.datetime({ offset: true, precision: -1 }))
      .transform((at) => new Date(at).toISOString()),
  ],
  { error: 'must be a date such as 2026-12-24, or a date-time with an offset such as 2026-12-24T18:00:00+09:00' },
);

const allowedScopes = `use read and write, or production`;

export const scopes = z.string().transform((text, context): TokenScope[] => {
  const words = text.split(' ').filter((word) => word !== '');
  if (words.length === 0) context.addIssue(`is empty, ${allowedScopes}`);
  return words.flatMap((word) => {
    const scope = TokenScope.safeParse(word);
    if (scope.success) return scope.data;
    context.addIssue(`${word} is not a scope, ${allowedScopes}`);
    return [];
  });
});
