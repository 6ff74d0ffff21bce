import { idText, Scope } from '#contracts';
import { z } from 'zod';
import { UsageError } from './command.js';

/** What flags hold beside plain text. Every message fits behind the name of the flag. */

/** The thing that a command is about, by its id: `material clear 12`. */
export const id = { help: 'its id', value: 'ID', type: idText, required: true, positional: true } as const;

/** For what cannot be taken back. */
export const meant = { help: 'says that you mean it: this cannot be taken back' } as const;

/** Refuses a command that cannot be taken back and was not confirmed. `what` fits behind "this". */
export function meantOrRefused(yes: boolean, what: string): void {
  if (!yes) throw new UsageError(`this ${what}: add --yes`);
}

export const userName = { help: 'user name', value: 'NAME', required: true } as const;

export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  const error = `must be a whole number ${range}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(minimum, { error }).max(maximum, { error }));
};

/** A date is its midnight in UTC; a date-time says its offset, so that no machine's own time zone decides. */
export const pointInTime = z.union(
  [
    z.iso.date().transform((date) => `${date}T00:00:00Z`),
    // With seconds and, as precision -1 says, without
    z.iso
      .datetime({ offset: true })
      .or(z.iso.datetime({ offset: true, precision: -1 }))
      .transform((at) => new Date(at).toISOString()),
  ],
  { error: 'must be a date such as 2026-12-24, or a date-time with an offset such as 2026-12-24T18:00:00+09:00' },
);

const scopesWanted = `use ${Scope.options.join(' and ')}`;

export const scopes = z.string().transform((text, context): Scope[] => {
  const words = text.split(' ').filter((word) => word !== '');
  if (words.length === 0) context.addIssue(`is empty, ${scopesWanted}`);
  return words.flatMap((word) => {
    const scope = Scope.safeParse(word);
    if (scope.success) return scope.data;
    context.addIssue(`${word} is no scope, ${scopesWanted}`);
    return [];
  });
});
