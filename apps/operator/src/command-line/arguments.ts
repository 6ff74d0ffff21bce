import { parseArgs } from 'node:util';
import { type Command, type Flag, UsageError } from './command.js';
import { commands } from './commands.js';
import { helpOnAll, helpOnCommand, helpOnNoun, start } from './help.js';

/** What the command line asks for. */
type Asked =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly flags: Readonly<Record<string, unknown>>;
      readonly json: boolean;
    };

/**
 * Reads `<noun> <verb> [flags]`, or `<noun> [flags]` where a noun is the whole command.
 *
 * @throws UsageError with a sentence for everything that is wrong
 */
export function readArguments(words: readonly string[]): Asked {
  const [noun, ...behind] = words;
  if (noun === undefined || isHelp(noun)) return { kind: 'help', text: helpOnAll() };
  const verbs = Object.hasOwn(commands, noun) ? commands[noun]! : undefined;
  if (!verbs) throw new UsageError(`there is no ${noun}; use one of ${Object.keys(commands).join(', ')}`);
  const [verb, ...rest] = Object.hasOwn(verbs, '') ? ['', ...behind] : behind;
  if (verb === undefined || isHelp(verb)) return { kind: 'help', text: helpOnNoun(noun) };
  const command = Object.hasOwn(verbs, verb) ? verbs[verb]! : undefined;
  if (!command) throw new UsageError(`${noun}: there is no verb ${verb}; use one of ${Object.keys(verbs).join(', ')}`);
  const asksForHelp = isHelp(rest[0]) || rest.some((word) => word === '--help' || word === '-h');
  if (asksForHelp) return { kind: 'help', text: helpOnCommand(noun, verb, command) };
  const name = `${noun} ${verb}`.trim();
  const { json, ...given } = readWords(name, command, rest);
  checkPresence(name, command, given);
  return { kind: 'run', command, flags: valuesOf(command, given), json: json === true };
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help';

/** What stands behind the flags: all their texts, or true for a switch. */
type Given = Readonly<Record<string, readonly string[] | true | undefined>>;

function readWords(name: string, { flags }: Command, words: string[]): Given {
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
    const given = parsed.values as Given;
    if (positional === undefined || parsed.positionals.length === 0) return given;
    return { ...given, [positional]: [...((given[positional] ?? []) as string[]), ...parsed.positionals] };
  } catch (error) {
    const [reason] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${name}: ${reason}; see ${start} ${name} --help`);
  }
}

/** One key in 64 begins with a dash: what stands behind a flag with a value is that value, unless it is a flag itself. */
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

function checkPresence(name: string, { flags, oneOf = [] }: Command, given: Given): void {
  const dashed = (names: readonly string[]): string => names.map((flag) => `--${flag}`).join(', ');
  const repeated = Object.keys(given).filter((flag) => Array.isArray(given[flag]) && given[flag].length > 1);
  if (repeated.length > 0) throw new UsageError(`${name}: ${dashed(repeated)} can be given once`);
  const missing = Object.keys(flags).filter((flag) => flags[flag]!.required && given[flag] === undefined);
  if (missing.length > 0) {
    throw new UsageError(`${name}: ${dashed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`);
  }
  const unclear = oneOf.filter((group) => group.filter((flag) => given[flag] !== undefined).length !== 1);
  if (unclear.length > 0) {
    throw new UsageError(unclear.map((group) => `${name}: exactly one of ${dashed(group)} has to be given`).join('\n'));
  }
}

/** The flags as the command works with them: read values, and true or false for switches. */
function valuesOf({ flags }: Command, given: Given): Readonly<Record<string, unknown>> {
  const wrong: string[] = [];
  const valueOf = (flag: string, { value, type }: Flag): unknown => {
    if (value === undefined) return given[flag] === true;
    const [text] = (given[flag] ?? []) as readonly string[];
    if (text === undefined || !type) return text;
    const read = type.safeParse(text);
    if (!read.success) wrong.push(...read.error.issues.map(({ message }) => `--${flag}: ${message}`));
    return read.data;
  };
  const values = Object.fromEntries(Object.entries(flags).map(([flag, it]) => [flag, valueOf(flag, it)]));
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return values;
}
