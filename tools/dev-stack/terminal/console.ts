import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const colours = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94];
/** True when somebody looks: the apps write into a pipe and cannot tell themselves. */
export const inColour = process.env.NO_COLOR ? false : Boolean(process.env.FORCE_COLOR ?? process.stdout.isTTY);

const paint = (text: string, colour: number): string => (inColour ? `\u001b[${colour}m${text}\u001b[0m` : text);

/** For a machine that reads: every line is one JSON object of its own, also those of the supervisor. */
export const inJson = process.env.LOG_FORMAT === 'json';

/** The supervisor's own words. */
export function say(line: string): void {
  if (inJson) {
    const entry = { level: 'info', time: new Date().toISOString(), app: 'storefront', msg: line };
    process.stdout.write(`${JSON.stringify(entry)}\n`);
    return;
  }
  process.stdout.write(`${paint('storefront', 1)} | ${line}\n`);
}

/** Copies the lines of a process to the terminal, each behind a prefix in the process' own colour; JSON as it is. */
function showLines(stream: Readable, name: string, width: number, colour: number): void {
  const prefix = paint(name.padEnd(width), colours[colour % colours.length]!);
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  lines.on('line', (line) => process.stdout.write(inJson ? `${line}\n` : `${prefix} | ${line}\n`));
}

/** Where the lines of a process go, and what its supervisor says of it. */
export interface Output {
  show(stream: Readable): void;
  say(line: string): void;
}

/** The terminal. */
export const shown = (name: string, width: number, colour: number): Output => ({
  show: (stream) => showLines(stream, name, width, colour),
  say,
});

// The terminal may close before the stack: a lost log line is no reason to leave servers behind
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
