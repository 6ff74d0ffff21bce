import type { z } from 'zod';

/**
 * Class of messages of a service, with its own Redis list and concurrency slots. `slow`: messages
 * that may wait seconds for an external server. `operator`: messages that only the operator may
 * send.
 */
export type Lane = 'usual' | 'slow' | 'operator';

/** A message of a service: the shapes of its request and reply, and how it is delivered. */
export interface Message<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly request: Request;
  readonly reply: Reply;
  /** True for reads: the transport may retry a lost request. */
  readonly safe: boolean;
  readonly lane: Lane;
  /** Default timeout of callers. */
  readonly timeoutMs: number;
  /** True if replies differ by viewer, so that callers cache one for each viewer. */
  readonly perViewer?: boolean;
}

export type MessageTable = Readonly<Record<string, Message>>;

export type RequestOf<Table extends MessageTable, Name extends keyof Table> = z.input<Table[Name]['request']>;
export type PayloadOf<Table extends MessageTable, Name extends keyof Table> = z.output<Table[Name]['request']>;
export type ReplyOf<Table extends MessageTable, Name extends keyof Table> = z.output<Table[Name]['reply']>;

/** Defines a message that only reads. */
export const query = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs = 5_000,
): Message<Request, Reply> => ({ request, reply, safe: true, lane: 'usual', timeoutMs });

/**
 * Defines a message that writes: executed at most once. The transport sends it again only after a
 * rejection which proves that it was not executed.
 */
export const command = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs = 10_000,
): Message<Request, Reply> => ({ request, reply, safe: false, lane: 'usual', timeoutMs });

/** Defines a command that may take seconds and does not occupy the slots of other messages. */
export const slowCommand = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs: number,
): Message<Request, Reply> => ({ ...command(request, reply, timeoutMs), lane: 'slow' });

/** Defines a read that may take seconds and does not occupy the slots of other messages. */
export const slowQuery = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs: number,
): Message<Request, Reply> => ({ ...query(request, reply, timeoutMs), lane: 'slow' });

/** Declares that the replies to a read differ by viewer. */
export const perViewer = <It extends Message>(message: It): It => ({ ...message, perViewer: true });

/** Restricts a message to the operator: no other Redis user may write to its list (ADR 21). */
export const byOperator = <It extends Message>(message: It): It => ({ ...message, lane: 'operator' });
