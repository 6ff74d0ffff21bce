import type { z } from 'zod';

/**
 * The list that a request waits in, with slots of its own. `slow`: messages that may wait for seconds for a server of
 * somebody else. `operator`: messages that only the operator may send.
 */
export type Lane = 'usual' | 'slow' | 'operator';

/** One message of a service: what it takes, what it answers, and whether it may be asked twice. */
export interface Message<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly request: Request;
  readonly reply: Reply;
  /** True for reads: a lost one may be sent again. */
  readonly safe: boolean;
  readonly lane: Lane;
  /** How long a caller waits unless it says otherwise. */
  readonly timeoutMs: number;
}

export type MessageTable = Readonly<Record<string, Message>>;

export type RequestOf<Table extends MessageTable, Name extends keyof Table> = z.input<Table[Name]['request']>;
export type PayloadOf<Table extends MessageTable, Name extends keyof Table> = z.output<Table[Name]['request']>;
export type ReplyOf<Table extends MessageTable, Name extends keyof Table> = z.output<Table[Name]['reply']>;

/** A message that reads. */
export const question = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs = 5_000,
): Message<Request, Reply> => ({ request, reply, safe: true, lane: 'usual', timeoutMs });

/** A message that changes something: executed at most once, never sent again by the transport. */
export const command = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs = 10_000,
): Message<Request, Reply> => ({ request, reply, safe: false, lane: 'usual', timeoutMs });

/** A command that may take seconds, and leaves the slots of the other messages free. */
export const slowCommand = <Request extends z.ZodType, Reply extends z.ZodType>(
  request: Request,
  reply: Reply,
  timeoutMs: number,
): Message<Request, Reply> => ({ ...command(request, reply, timeoutMs), lane: 'slow' });

/** A message that services take from the operator only: no other user of Redis may write to its list (ADR 21). */
export const byOperator = <It extends Message>(message: It): It => ({ ...message, lane: 'operator' });
