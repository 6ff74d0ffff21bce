import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

export interface LogOptions {
  readonly app: string;
  readonly level: string;
  readonly format: 'json' | 'pretty';
}

/** What must never be printed, wherever it turns up in a log line. */
const secretPaths = ['authorization', 'cookie', 'password', 'token', 'apiKey', 'secret', 'texture'];

/** The log of a process: one JSON object per line on standard output, or coloured text for people. */
export function createLog({ app, level, format }: LogOptions): Log {
  const options = {
    level,
    base: { app },
    redact: { paths: secretPaths.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (format === 'json') return pino(options);
  // The stack's own prefix names the app; the message comes first, then what belongs to it on the same line
  return pino(
    options,
    pretty({
      singleLine: true,
      ignore: 'app,pid,hostname',
      translateTime: 'SYS:HH:MM:ss.l',
      sync: true,
    }),
  );
}
