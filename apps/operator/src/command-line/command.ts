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

type Flags = Readonly<Record<string, Flag>>;

type Value<It extends Flag> = It extends { readonly type: infer Type extends z.ZodType } ? z.output<Type> : string;

/** What the code of a command reads. Without knowing which command it is: anything. */
type FlagValues<Of extends Flags> = string extends keyof Of
  ? Readonly<Record<string, unknown>>
  : {
      readonly [Name in keyof Of]: Of[Name] extends { readonly value: string }
        ? Of[Name] extends { readonly required: true }
          ? Value<Of[Name]>
          : Value<Of[Name]> | undefined
        : boolean;
    };

interface Described<Of extends Flags> {
  readonly summary: string;
  readonly flags: Of;
  /** Groups of flags of which exactly one is given. */
  readonly oneOf?: readonly (readonly (keyof Of & string)[])[];
}

/** What an operator can do: `<noun> <verb>`. The result is printed as JSON. */
export interface Command<Of extends Flags = Flags> extends Described<Of> {
  readonly run: (clients: QueueClients, flags: FlagValues<Of>) => Promise<object>;
  /** It asks no service: it is run without any, and looks at the stores itself. */
  readonly aside?: true;
}

/** The commands of a noun, by verb. */
export type Commands = Readonly<Record<string, Command>>;

/** Ties the flags that a command declares to those that its code may read. */
export const command = <const Of extends Flags>(it: Command<Of>): Command => it as unknown as Command;

/** The same for one that asks no service. */
export const commandAside = <const Of extends Flags>({
  run,
  ...it
}: Described<Of> & { readonly run: (flags: FlagValues<Of>) => Promise<object> }): Command =>
  command<Of>({ ...it, aside: true, run: (_, flags) => run(flags) });

/** A result that people read as text, and that may be bad news although the command did its work. */
export class Report {
  constructor(
    readonly text: string,
    /** What `--json` prints. */
    readonly data: object,
    readonly isGood = true,
  ) {}

  toJSON(): object {
    return this.data;
  }
}

/** The caller's mistake: printed as it is, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
