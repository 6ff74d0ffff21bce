import { parseArgs } from 'node:util';
import { type Command, type Flag, UsageError } from './command.js';
import { commands } from './commands.js';
import { helpOnAll, helpOnCommand, helpOnNoun, start } from './help.js';

/** A parsed command line. */
type ParsedLine =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly flags: Readonly<Record<string, unknown>>;
      readonly json: boolean;
    };

/**
 * Reads `<noun> <verb> [flags]`, or `<noun> [flags]` for a command without a verb.
 *
 * @throws UsageError whose message has one line per error
 */
export function readArguments(words: readonly string[]): ParsedLine {
  const [noun, ...behind] = words;
  if (noun === undefined || isHelp(noun)) return { kind: 'help', text: helpOnAll() };
  const verbs = Object.hasOwn(commands, noun) ? commands[noun]! : undefined;
  if (!verbs) throw new UsageError(`unknown noun ${noun}; use one of ${Object.keys(commands).join(', ')}`);
  const [verb, ...rest] = Object.hasOwn(verbs, '') ? ['', ...behind] : behind;
  if (verb === undefined || isHelp(verb)) return { kind: 'help', text: helpOnNoun(noun) };
  const command = Object.hasOwn(verbs, verb) ? verbs[verb]! : undefined;
  if (!command) throw new UsageError(`${noun}: unknown verb ${verb}; use one of ${Object.keys(verbs).join(', ')}`);
  const wantsHelp = isHelp(rest[0]) || rest.some((word) => word === '--help' || word === '-h');
  if (wantsHelp) return { kind: 'help', text: helpOnCommand(noun, verb, command) };
  const name = `${noun} ${verb}`.trim();
  const { json, ...values } = parseWords(name, command, rest);
  checkPresence(name, command, values);
  return { kind: 'run', command, flags: valuesOf(command, values), json: json === true };
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help';

/** Values of the flags: all texts that were given, or true for a switch. */
type FlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

function parseWords(name: string, { flags }: Command, words: string[]): FlagValues {
  const option = ({ value }: Flag) =>
    value === undefined ? { type: 'boolean' as const } : { type: 'string' as const, multiple: true };
  const options = {
    ...Object.fromEntries(Object.entries(flags).map(([flag, it]) => [flag, option(it)])),
    json: { type: 'boolean' as const },
  };
  const positional = Object.keys(flags).find((flag) => flags[flag]!.positional);
  try {
    const parsed = parseArgs({
      args: withValuesJoined(flags, words),
      options,
      strict: true,
      allowPositionals: positional !== undefined,
    });
    const values = parsed.values as FlagValues;
    if (positional === undefined || parsed.positionals.length === 0) return values;
    return { ...values, [positional]: [...((values[positional] ?? []) as string[]), ...parsed.positionals] };
  } catch (error) {
    const [reason] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${name}: ${reason}; see ${start} ${name} --help`);
  }
}

/**
 * Joins each flag with its value, `--flag=value`, if the value starts with a dash, as one in 64
 * tokens does: `parseArgs` would reject the value as ambiguous. A flag of the command is never
 * taken as a value.
 */
function withValuesJoined(flags: Command['flags'], words: readonly string[]): string[] {
  const nameOf = (word: string): string => /^--([^=]*)/.exec(word)?.[1] ?? '';
  const isFlag = (word: string): boolean => nameOf(word) === 'json' || Object.hasOwn(flags, nameOf(word));
  const joined: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word, next] = [words[at]!, words[at + 1]];
    const takesValue = isFlag(word) && !word.includes('=') && flags[nameOf(word)]?.value !== undefined;
    const isJoined = takesValue && next?.startsWith('-') && !isFlag(next);
    if (isJoined) at++;
    joined.push(isJoined ? `${word}=${next}` : word);
  }
  return joined;
}

/** Names a flag in an error: `--reason`, or `ID (or --id ID)` if it is positional. */
const labelOf = (name: string, { value, positional }: Flag): string =>
  positional ? `${value} (or --${name} ${value})` : `--${name}`;

function checkPresence(name: string, { flags, oneOf = [] }: Command, values: FlagValues): void {
  const labels = (names: readonly string[]): string => names.map((flag) => labelOf(flag, flags[flag]!)).join(', ');
  const repeated = Object.keys(values).filter((flag) => Array.isArray(values[flag]) && values[flag].length > 1);
  if (repeated.length > 0) throw new UsageError(`${name}: ${labels(repeated)} can be given once`);
  const missing = Object.keys(flags).filter((flag) => flags[flag]!.required && values[flag] === undefined);
  if (missing.length > 0) {
    throw new UsageError(`${name}: ${labels(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`);
  }
  const unclear = oneOf.filter((group) => group.filter((flag) => values[flag] !== undefined).length !== 1);
  if (unclear.length > 0) {
    throw new UsageError(unclear.map((group) => `${name}: exactly one of ${labels(group)} has to be given`).join('\n'));
  }
}

/** Parses the values of the flags; switches become true or false. */
function valuesOf({ flags }: Command, values: FlagValues): Readonly<Record<string, unknown>> {
  const wrong: string[] = [];
  const valueOf = (flag: string, { value, type }: Flag): unknown => {
    if (value === undefined) return values[flag] === true;
    const [text] = (values[flag] ?? []) as readonly string[];
    if (text === undefined || !type) return text;
    const read = type.safeParse(text);
    if (!read.success) wrong.push(...read.error.issues.map(({ message }) => `--${flag}: ${message}`));
    return read.data;
  };
  const parsed = Object.fromEntries(Object.entries(flags).map(([flag, it]) => [flag, valueOf(flag, it)]));
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return parsed;
}
