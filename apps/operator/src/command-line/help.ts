import type { Command, Flag } from './command.js';
import { commands } from './commands.js';

export const start = 'npm run --silent operator --';

/** Formats a flag: `--reason S`, `ID` if it is positional, or `--off` if it is a switch. */
const formatFlag = (name: string, { value, positional }: Flag): string =>
  positional ? value! : [`--${name}`, value].filter(Boolean).join(' ');

export function helpOnAll(): string {
  const rows = Object.entries(commands).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { summary }]) => `  ${`${noun} ${verb}`.padEnd(20)}${summary}`),
  );
  return [
    `Usage: ${start} <noun> <verb> [flags] [--json]`,
    '',
    ...rows,
    '',
    '--help after a command lists its flags. --json prints one line.',
    'The running stack is found by REDIS_REQUESTS_URL or by its DATA_DIR (default .data).',
    'Exit code: 0 success, 1 rejected or unreachable, 2 invalid usage.',
  ].join('\n');
}

export const helpOnNoun = (noun: string): string =>
  [
    `Usage: ${start} ${noun} <verb> [flags] [--json]`,
    '',
    ...Object.entries(commands[noun]!).map(([verb, { summary }]) => `  ${verb.padEnd(16)}${summary}`),
  ].join('\n');

export function helpOnCommand(noun: string, verb: string, command: Command): string {
  const { summary, flags } = command;
  const rows = Object.entries(flags).map(([name, flag]) => {
    const label = flag.positional ? `${flag.value}, --${name} ${flag.value}` : formatFlag(name, flag);
    return `  ${label.padEnd(28)}${flag.help}`;
  });
  return [
    `Usage: ${[start, noun, verb, ...usageOf(command), '[--json]'].filter(Boolean).join(' ')}`,
    '',
    summary,
    '',
    ...rows,
    `  ${'--json'.padEnd(28)}print one line`,
  ].join('\n');
}

/**
 * Formats the flags of a usage line, positional ones first: `ID [--off] (--item ID | --user S)`.
 */
function usageOf({ flags, oneOf = [] }: Command): string[] {
  const inOrder = Object.entries(flags).sort(
    ([, a], [, b]) => Number(b.positional ?? false) - Number(a.positional ?? false),
  );
  return inOrder.flatMap(([name, flag]) => {
    const group = oneOf.find((names) => names.includes(name));
    if (!group) return flag.required ? formatFlag(name, flag) : `[${formatFlag(name, flag)}]`;
    return group[0] === name ? `(${group.map((other) => formatFlag(other, flags[other]!)).join(' | ')})` : [];
  });
}
