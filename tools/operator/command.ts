import type { QueueClients } from '#request-queue';
import type { z } from 'zod';

/** One flag of a command. Flags without `required` may be left out. */
export interface Flag {
  readonly help: string;
  /** What stands for the value in the help. A flag without it is a switch, which is given or not. */
  readonly value?: string;
  /** What the value has to be, and what it becomes. Without it any text will do. */
  readonly type?: z.ZodType<unknown, string>;
  readonly required?: boolean;
  /** The value may also stand behind the verb, without the name of the flag. */
  readonly positional?: boolean;
}

export type Flags = Readonly<Record<string, Flag>>;

type Value<It extends Flag> = It extends { readonly type: infer Type extends z.ZodType } ? z.output<Type> : string;

/** What the code of a command reads. Without knowing which command it is: anything. */
export type FlagValues<Of extends Flags> = string extends keyof Of
  ? Readonly<Record<string, unknown>>
  : {
      readonly [Name in keyof Of]: Of[Name] extends { readonly value: string }
        ? Of[Name] extends { readonly required: true }
          ? Value<Of[Name]>
          : Value<Of[Name]> | undefined
        : boolean;
    };

/** What an operator can do: `<noun> <verb>`. The result is printed as JSON. */
export interface Command<Of extends Flags = Flags> {
  readonly summary: string;
  readonly flags: Of;
  /** Groups of flags of which exactly one is given. */
  readonly oneOf?: readonly (readonly (keyof Of & string)[])[];
  readonly run: (clients: QueueClients, flags: FlagValues<Of>) => Promise<object>;
}

/** The commands of a noun, by verb. */
export type Commands = Readonly<Record<string, Command>>;

/** Ties the flags that a command declares to those that its code may read. */
export const command = <const Of extends Flags>(it: Command<Of>): Command => it as unknown as Command;

/** The caller's mistake: printed as it is, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
