/** The part of a pino logger that the queue uses. */
export interface QueueLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

const nothing = (): void => undefined;

export const silentLog: QueueLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };
