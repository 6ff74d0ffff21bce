import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { traceId } from './tracing.js';

/**
 * Log of a process. It is a class, although pino's logger is an interface, because Nest injects it
 * by the type of a parameter.
 */
export abstract class Log extends (Object as unknown as abstract new () => Logger) {}

interface LogOptions {
  readonly app: string;
  readonly level: string;
  readonly format: 'json' | 'pretty';
}

/** Names of fields whose values are not printed, at the top level and one level below. */
const secretPaths = ['authorization', 'cookie', 'password', 'token', 'apiKey', 'secret', 'texture'];

interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly cause?: SerializedError;
}

/** Escapes control characters and line separators, because a message may quote a client's input. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Returns the frames of a stack without the message before them, which may look like frames.
 */
function framesOf({ stack = '', message }: Error): string {
  const [, ...frames] = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return frames.map((frame) => `\n${onOneLine(frame)}`).join('');
}

/**
 * Returns the loggable properties of an error. The others are omitted, because drivers attach the
 * whole SQL statement with its parameters, or the whole Redis command: e-mail addresses, password
 * hashes, responses with keys.
 */
export function serializeError(error: unknown): SerializedError {
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
    ...(cause instanceof Error && { cause: serializeError(cause) }),
  };
}

/**
 * Creates the log of a process: one JSON object per line on standard output, or colored text for
 * people.
 */
export function createLog({ app, level, format }: LogOptions): Log {
  const options = {
    level,
    base: { app },
    redact: { paths: secretPaths.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    serializers: { err: serializeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => {
      const id = traceId();
      return id === undefined ? {} : { traceId: id };
    },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (format === 'json') return pino(options);
  // The dev stack prefixes each line with the name of the app. The message comes first, then its
  // fields on the same line
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
