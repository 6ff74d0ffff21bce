import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { canaries } from './canaries.js';

export interface LogFindings {
  readonly lines: number;
  /** Unexpected exits of processes. */
  readonly crashes: readonly string[];
  /** Lines that a client may have injected: not JSON of an app, or with a control character. */
  readonly planted: readonly string[];
  /** Lines of the levels error and fatal. */
  readonly errors: readonly string[];
}

const maxLines = 20;
function addLine(list: string[], line: string): void {
  if (list.length < maxLines) list.push(line.slice(0, 500));
}

/**
 * Reads the JSON log of a stack and returns crashes, injected lines and errors.
 *
 * @param start byte offset where reading starts, behind the log of the start of the stack
 */
export async function readLog(file: string, start: number): Promise<LogFindings> {
  const [crashes, planted, errors]: [string[], string[], string[]] = [[], [], []];
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file, { start }), crlfDelay: Infinity })) {
    if (line === '') continue;
    lines += 1;
    const entry = parseEntry(line);
    if (!entry || entry.msg === canaries.logLine || /\p{Cc}/u.test(line)) addLine(planted, line);
    else if (entry.app === 'storefront' && / exited(?: \(.*\))?, restarting/.test(entry.msg))
      addLine(crashes, entry.msg);
    else if (entry.level === 'error' || entry.level === 'fatal') addLine(errors, line);
  }
  return { lines, crashes, planted, errors };
}

interface LogEntry {
  readonly level: string;
  readonly app: string;
  readonly msg: string;
}

function parseEntry(line: string): LogEntry | undefined {
  try {
    const { level, app, msg } = JSON.parse(line) as Partial<LogEntry>;
    if (typeof level === 'string' && typeof app === 'string' && typeof msg === 'string') return { level, app, msg };
  } catch {
    // Not JSON
  }
  return undefined;
}
