import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { traceId } from './tracing.js';

/** The log of a process. A class, although pino's logger is an interface: Nest injects it by the type of a parameter. */
export abstract class Log extends (Object as unknown as abstract new () => Logger) {}

interface LogOptions {
  readonly app: string;
  readonly level: string;
  readonly format: 'json' | 'pretty';
}

/** What must never be printed, wherever it turns up in a log line. */
const secretPaths = ['authorization', 'cookie', 'password', 'token', 'apiKey', 'secret', 'texture'];

interface ErrorFacts {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly cause?: ErrorFacts;
}

/** Text that stays on its line and leaves a terminal as it is: a message may quote what a client has sent. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The frames alone: a stack begins with the message, which may look like some. */
function framesOf({ stack = '', message }: Error): string {
  const [, ...frames] = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return frames.map((frame) => `\n${onOneLine(frame)}`).join('');
}

/**
 * What is told of an error: these facts and nothing else. Drivers hang the whole statement with its parameters, or the
 * whole Redis command, on their errors: e-mail addresses, password hashes, answers with keys.
 */
export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const type = error.constructor.name;
  const message = onOneLine(error.message);
  const { cause } = error;
  return {
    type,
    message,
    stack: `${type}: ${message}${framesOf(error)}`,
    code,
    constraint,
    ...(cause instanceof Error && { cause: errorFacts(cause) }),
  };
}

/** The log of a process: one JSON object per line on standard output, or coloured text for people. */
export function createLog({ app, level, format }: LogOptions): Log {
  const options = {
    level,
    base: { app },
    redact: { paths: secretPaths.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    serializers: { err: errorFacts },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => {
      const id = traceId();
      return id === undefined ? {} : { traceId: id };
    },
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
