import type { QueueClients } from '#request-queue';
import type { z } from 'zod';

/** A flag of a command. Flags without `required` are optional. */
export interface Flag {
  readonly help: string;
  /** Placeholder of the value in the help. A flag without it is a switch. */
  readonly value?: string;
  /** Schema that validates and converts the value. Without it the value is any text. */
  readonly type?: z.ZodType<unknown, string>;
  readonly required?: boolean;
  /** The value may also be given as a positional argument. */
  readonly positional?: boolean;
}

type Flags = Readonly<Record<string, Flag>>;

type Value<It extends Flag> = It extends { readonly type: infer Type extends z.ZodType } ? z.output<Type> : string;

/**
 * Types of the flag values that `run` receives; `unknown` if the type of the flags is not known.
 */
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
  /** Groups of flags of which exactly one must be given. */
  readonly oneOf?: readonly (readonly (keyof Of & string)[])[];
}

/**
 * An operator command: `<noun> <verb>`. A `Report` is printed as its text, with `--json` as JSON;
 * each report of an `AsyncIterable` as soon as it is available. Another result is printed as JSON:
 * that of `user create` and `token create`, which scripts read.
 */
export interface Command<Of extends Flags = Flags> extends Described<Of> {
  readonly run: (clients: QueueClients, flags: FlagValues<Of>) => Promise<object>;
  /** The command accesses the stores directly and sends no requests to services. */
  readonly direct?: true;
}

/** Commands of a noun, by verb. */
export type Commands = Readonly<Record<string, Command>>;

/** Declares a command. By its type, `run` reads only flags that the command declares. */
export const command = <const Of extends Flags>(it: Command<Of>): Command => it as unknown as Command;

/** Declares a command that accesses the stores directly. */
export const directCommand = <const Of extends Flags>({
  run,
  ...it
}: Described<Of> & { readonly run: (flags: FlagValues<Of>) => Promise<object> }): Command =>
  command<Of>({ ...it, direct: true, run: (_, flags) => run(flags) });

/** A result with a text for people. If `isGood` is false the exit code is 1. */
export class Report {
  constructor(
    readonly text: string,
    /** Output of `--json`. */
    readonly data: object,
    readonly isGood = true,
  ) {}

  toJSON(): object {
    return this.data;
  }
}

/** Invalid command line: the message is printed, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
