/** Subset of a pino logger that the queue uses. */
export interface QueueLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

const noop = (): void => undefined;

export const silentLog: QueueLog = { debug: noop, info: noop, warn: noop, error: noop };
