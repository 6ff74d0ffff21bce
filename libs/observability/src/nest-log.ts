import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/**
 * Writes the messages of Nest to the log of the process. Its start-up messages are logged as
 * `debug`, because only developers need them.
 */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const cause = message instanceof Error ? message : undefined;
    this.target.error({ context: rest.at(-1), err: cause, stack: cause ? undefined : rest[0] }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ context: rest.at(-1) }, String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ context: rest.at(-1) }, String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.target.trace({ context: rest.at(-1) }, String(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.target.fatal({ context: rest.at(-1) }, String(message));
  }
}
