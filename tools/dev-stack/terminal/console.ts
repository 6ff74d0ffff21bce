import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const colors = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94];
/** True if output is colored. Apps write into a pipe and cannot detect a terminal. */
export const inColor = process.env.NO_COLOR ? false : Boolean(process.env.FORCE_COLOR ?? process.stdout.isTTY);

const paint = (text: string, color: number): string => (inColor ? `\u001b[${color}m${text}\u001b[0m` : text);

/** True if all lines, including those of the supervisor, are JSON objects. */
export const inJson = process.env.LOG_FORMAT === 'json';

/** Prints a line of the supervisor. */
export function print(line: string): void {
  if (inJson) {
    const entry = { level: 'info', time: new Date().toISOString(), app: 'storefront', msg: line };
    process.stdout.write(`${JSON.stringify(entry)}\n`);
    return;
  }
  process.stdout.write(`${paint('storefront', 1)} | ${line}\n`);
}

/** Copies the lines of a process to the terminal with a colored prefix; JSON lines unchanged. */
function showLines(stream: Readable, name: string, width: number, color: number): void {
  const prefix = paint(name.padEnd(width), colors[color % colors.length]!);
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  lines.on('line', (line) => process.stdout.write(inJson ? `${line}\n` : `${prefix} | ${line}\n`));
}

/** Output of a process and of its supervisor. */
export interface Output {
  show(stream: Readable): void;
  print(line: string): void;
}

/** Returns the output of a process on the terminal. @param color index of its color */
export const terminalOutput = (name: string, width: number, color: number): Output => ({
  show: (stream) => showLines(stream, name, width, color),
  print,
});

// The terminal may close before the stack has stopped; a write error must not interrupt the
// shutdown
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
