import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { canaries } from './canaries.js';

export interface LogFindings {
  readonly lines: number;
  /** Unexpected exits of processes. */
  readonly crashes: readonly string[];
  /** Lines that are not JSON of the apps, or injected by a client. */
  readonly planted: readonly string[];
  /** Errors that need action. */
  readonly errors: readonly string[];
}

const most = 20;
function note(list: string[], line: string): void {
  if (list.length < most) list.push(line.slice(0, 500));
}

/**
 * Reads the JSON log of a stack and returns crashes, injected lines and errors.
 *
 * @param start byte offset after the log of the start
 */
export async function readLog(file: string, start: number): Promise<LogFindings> {
  const [crashes, planted, errors]: [string[], string[], string[]] = [[], [], []];
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file, { start }), crlfDelay: Infinity })) {
    if (line === '') continue;
    lines += 1;
    const entry = entryOf(line);
    if (!entry || entry.msg === canaries.logLine || /\p{Cc}/u.test(line)) note(planted, line);
    else if (entry.app === 'storefront' && / exited(?: \(.*\))?, restarting/.test(entry.msg)) note(crashes, entry.msg);
    else if (entry.level === 'error' || entry.level === 'fatal') note(errors, line);
  }
  return { lines, crashes, planted, errors };
}

interface Entry {
  readonly level: string;
  readonly app: string;
  readonly msg: string;
}

function entryOf(line: string): Entry | undefined {
  try {
    const { level, app, msg } = JSON.parse(line) as Partial<Entry>;
    if (typeof level === 'string' && typeof app === 'string' && typeof msg === 'string') return { level, app, msg };
  } catch {
    // Not JSON
  }
  return undefined;
}
