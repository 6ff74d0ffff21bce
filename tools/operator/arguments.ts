import { parseArgs } from 'node:util';
import { type Command, UsageError } from './command.js';
import { commands } from './commands.js';

/** What the command line asks for. */
export type Asked =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly flags: Readonly<Record<string, string | undefined>>;
      readonly json: boolean;
    };

const start = 'npm run --silent operator --';

/**
 * Reads `<noun> <verb> [flags]`.
 *
 * @throws UsageError with one sentence that says what is wrong
 */
export function readArguments(words: readonly string[]): Asked {
  const [noun, verb, ...rest] = words;
  if (noun === undefined || isHelp(noun)) return { kind: 'help', text: helpOnAll() };
  const verbs = Object.hasOwn(commands, noun) ? commands[noun]! : undefined;
  if (!verbs) throw new UsageError(`there is no ${noun}; use one of ${Object.keys(commands).join(', ')}`);
  if (verb === undefined || isHelp(verb)) return { kind: 'help', text: helpOnNoun(noun) };
  const command = Object.hasOwn(verbs, verb) ? verbs[verb]! : undefined;
  if (!command) throw new UsageError(`${noun}: there is no verb ${verb}; use one of ${Object.keys(verbs).join(', ')}`);
  if (rest.some(isHelp)) return { kind: 'help', text: helpOnCommand(noun, verb, command) };
  const { json, ...flags } = readFlags(`${noun} ${verb}`, command, rest);
  return { kind: 'run', command, flags, json: json === true };
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h' || word === 'help';

function readFlags(name: string, command: Command, words: string[]) {
  const options = {
    ...Object.fromEntries(Object.keys(command.flags).map((flag) => [flag, { type: 'string' as const }])),
    json: { type: 'boolean' as const },
  };
  let values: Record<string, string | undefined> & { json?: unknown };
  try {
    values = parseArgs({ args: words, options, strict: true, allowPositionals: false }).values as typeof values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageError(`${name}: ${reason}; see ${start} ${name} --help`);
  }
  const missing = Object.entries(command.flags).filter(
    ([flag, { required }]) => required && values[flag] === undefined,
  );
  if (missing.length > 0) {
    const flags = missing.map(([flag]) => `--${flag}`).join(', ');
    throw new UsageError(`${name}: ${flags} ${missing.length === 1 ? 'is' : 'are'} missing`);
  }
  return values;
}

function helpOnAll(): string {
  const rows = Object.entries(commands).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { summary }]) => `  ${`${noun} ${verb}`.padEnd(20)}${summary}`),
  );
  return [
    `Usage: ${start} <noun> <verb> [flags] [--json]`,
    '',
    ...rows,
    '',
    'Add --help to a command for its flags. --json prints one line.',
    'The running stack is found by REDIS_REQUESTS_URL, or by the DATA_DIR that it was started with (default .data).',
    'Exit code: 0 done, 1 refused or not reachable, 2 wrong usage.',
  ].join('\n');
}

const helpOnNoun = (noun: string): string =>
  [
    `Usage: ${start} ${noun} <verb> [flags] [--json]`,
    '',
    ...Object.entries(commands[noun]!).map(([verb, { summary }]) => `  ${verb.padEnd(16)}${summary}`),
  ].join('\n');

function helpOnCommand(noun: string, verb: string, { summary, flags }: Command): string {
  const usage = Object.entries(flags).map(([flag, { value, required }]) =>
    required ? `--${flag} ${value}` : `[--${flag} ${value}]`,
  );
  const rows = Object.entries(flags).map(([flag, { help, value }]) => `  ${`--${flag} ${value}`.padEnd(28)}${help}`);
  return [
    `Usage: ${[start, noun, verb, ...usage, '[--json]'].join(' ')}`,
    '',
    summary,
    '',
    ...rows,
    `  ${'--json'.padEnd(28)}print one line`,
  ].join('\n');
}
