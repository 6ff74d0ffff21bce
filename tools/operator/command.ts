import type { QueueClients } from '#request-queue';

/** One flag of a command. Flags without `required` may be left out; `many` may be given several times. */
export interface Flag {
  readonly help: string;
  readonly value: string;
  readonly required?: boolean;
}

export type FlagValues<Flags extends Readonly<Record<string, Flag>>> = {
  readonly [Name in keyof Flags]: Flags[Name] extends { readonly required: true } ? string : string | undefined;
};

/** What an operator can do: `<noun> <verb>`. The result is printed as JSON. */
export interface Command<Flags extends Readonly<Record<string, Flag>> = Readonly<Record<string, Flag>>> {
  readonly summary: string;
  readonly flags: Flags;
  readonly run: (clients: QueueClients, flags: FlagValues<Flags>) => Promise<object>;
}

/** Ties the flags that a command declares to those that its code may read. */
export const command = <const Flags extends Readonly<Record<string, Flag>>>(it: Command<Flags>): Command =>
  it as unknown as Command;

/** The caller's mistake: printed as one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
