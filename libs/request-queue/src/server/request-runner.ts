import { type z } from 'zod';
import type { Semaphore } from '#concurrency';
import { problems, services, type Lane, type MessageTable, type ServiceName } from '#contracts';
import { DomainError } from '#kernel';
import { setSpanAttributes, SpanKind, tracedEntry } from '#observability';
import { type RedisClock } from '../connection/clock.js';
import { currentCall, runInCall } from '../current-call.js';
import { decodeRequest, encodeReply, frameFlags, type ReplyFrame, type RequestFrame } from '../wire/frames.js';
import { failureOf } from '../local-rejections.js';
import { ifNoneMatch, maxReplyBytes, type QueueKeys, validityHeader, wantsValidity } from '../wire/keys.js';
import { type QueueMetrics } from '../metrics.js';
import { fieldErrors, ProblemReply, problemReplyFor } from './problem-reply.js';
import { QueueContext } from './queue-context.js';
import { type QueueLog } from '../queue-log.js';
import { RawReply } from '../wire/raw-reply.js';
import { type ReplyWriter } from './reply-writer.js';

type Invoke = (pattern: string, payload: unknown, context: QueueContext) => Promise<unknown>;

interface RunnerParts {
  readonly service: ServiceName;
  readonly keys: QueueKeys;
  readonly clock: RedisClock;
  readonly replies: ReplyWriter;
  readonly metrics: QueueMetrics;
  readonly log: QueueLog;
  readonly invoke: Invoke;
}

const problemOf = (error: DomainError): ProblemReply => ProblemReply.of(error);
const invalidRequest = (errors: { path: string; message: string }[]): ProblemReply =>
  problemOf(new DomainError(problems['request.invalid'], 'The request does not match its schema.', errors));

/** Runner of request frames: rejects or executes each, and replies. */
export class RequestRunner {
  private readonly table: MessageTable;

  constructor(private readonly parts: RunnerParts) {
    this.table = services[parts.service];
  }

  /** Runs the frames of one pop. @param slots of the lane; each request acquires one */
  take(frames: readonly Buffer[], lane: Lane, slots: Semaphore): void {
    const { metrics, log, keys, service } = this.parts;
    metrics.popItems.observe({ service }, frames.length);
    for (const bytes of frames) {
      const frame = decodeRequest(bytes);
      if (!frame || !(frame.flags & frameFlags.noReply || keys.isReplyList(frame.replyKey))) {
        metrics.badFrames.inc({ side: 'server' });
        log.warn({ bytes: bytes.length }, 'Malformed request frame dropped');
        continue;
      }
      slots.acquire();
      void this.serve(frame, lane).finally(() => slots.release());
    }
  }

  private async serve(frame: RequestFrame, lane: Lane): Promise<void> {
    const { service, clock, metrics, replies } = this.parts;
    const wantsReply = !(frame.flags & frameFlags.noReply);
    // The reply to a request that has waited for half of its timeout would be late or missing, with
    // an unknown outcome for its caller. Rejecting such requests also shortens the queue
    const isLate = (ms: number): boolean => ms <= 0 || (wantsReply && ms < frame.ttl / 2);
    let remainingMs = this.remaining(frame);
    // The clock of Redis may have stepped since the last measurement
    if (isLate(remainingMs) && (await clock.remeasure())) remainingMs = this.remaining(frame);
    metrics.queueWait.observe({ service, lane }, (frame.ttl - remainingMs) / 1_000);
    if (isLate(remainingMs)) {
      (remainingMs <= 0 ? metrics.expired : metrics.late).inc({ service });
      if (wantsReply) this.rejectLate(frame);
      return;
    }
    const span = {
      kind: SpanKind.SERVER,
      attributes: { 'rpc.system': 'request-queue', 'rpc.service': service, 'rpc.method': frame.pattern },
      parent: frame.headers['traceparent'],
    };
    const reply = await tracedEntry(`serve ${frame.pattern}`, span, () => this.execute(frame, lane, remainingMs));
    if (wantsReply) replies.add(frame.replyKey, reply);
  }

  /**
   * Returns the milliseconds until the deadline, at most `ttl`: the estimates of Redis' clock in
   * two processes differ by a part of the round trip.
   */
  private remaining({ ttl, deadline }: RequestFrame): number {
    return Math.min(ttl, deadline - this.parts.clock.now());
  }

  /** Executes a request. @returns the reply as a frame */
  private async execute(frame: RequestFrame, lane: Lane, remainingMs: number): Promise<Buffer> {
    const { service, metrics, log } = this.parts;
    const startedAt = performance.now();
    const fields = { requestId: frame.headers['requestId'] ?? '-', pattern: frame.pattern };
    const result = await this.handle(frame, lane, remainingMs, fields);
    if (result instanceof ProblemReply) setSpanAttributes({ 'rpc.response.status_code': String(result.status) });
    const reply = this.encode(frame, result, fields);
    const milliseconds = performance.now() - startedAt;
    if (frame.pattern in this.table) {
      metrics.handlerSeconds.observe({ service, pattern: frame.pattern }, milliseconds / 1_000);
    }
    const waitMs = Math.round(frame.ttl - remainingMs);
    log.debug(
      { ...fields, caller: frame.headers['caller'], waitMs, ms: Math.round(milliseconds), bytes: reply.length },
      'message served',
    );
    return reply;
  }

  /**
   * Replies 503 without executing the request. If a step of Redis' clock is the cause, the caller
   * measures the clock again and repeats the request.
   */
  private rejectLate(frame: RequestFrame): void {
    const { service, replies } = this.parts;
    const reply = replyParts(problemOf(failureOf(service, 'full')));
    replies.add(
      frame.replyKey,
      encodeReply({ ...reply, flags: reply.flags | frameFlags.late, correlation: frame.correlation }),
    );
  }

  /** Calls the handler. Never rejects: failures become problem replies. */
  private async handle(
    frame: RequestFrame,
    lane: Lane,
    remainingMs: number,
    fields: { requestId: string },
  ): Promise<unknown> {
    const { service, invoke, log, metrics } = this.parts;
    const message = Object.hasOwn(this.table, frame.pattern) ? this.table[frame.pattern] : undefined;
    if (!message) {
      metrics.unknownPatterns.inc({ service });
      log.error({ ...fields, service }, 'Unknown message rejected, its caller may have a newer version');
      return problemOf(
        new DomainError(
          problems['service.unavailable'],
          'The running version of the service does not have this message.',
        ),
      );
    }
    // Any app that calls the service may write to the lists of the other lanes
    if (message.lane === 'operator' && lane !== 'operator') {
      log.warn({ ...fields, service }, 'Operator message rejected: it arrived on another lane');
      return problemOf(
        new DomainError(problems['request.operator-only'], `${frame.pattern} is reserved for the operator.`),
      );
    }
    const metadata = {
      requestId: fields.requestId,
      traceparent: frame.headers['traceparent'],
      caller: () => frame.headers['caller'],
      timeoutMs: remainingMs,
      service,
      pattern: frame.pattern,
    };
    try {
      const payload = readPayload(message.request, frame.payload);
      if (payload instanceof ProblemReply) return payload;
      return await runInCall(metadata, () =>
        invoke(frame.pattern, payload.value, new QueueContext([currentCall()!, frame.headers])),
      );
    } catch (error) {
      return problemReplyFor(error, log, fields);
    }
  }

  private encode(frame: RequestFrame, result: unknown, fields: object): Buffer {
    try {
      const reply = withoutCachedBody(frame.headers[ifNoneMatch], withoutUnreadValidity(frame, replyParts(result)));
      if (reply.body.length <= maxReplyBytes) return encodeReply({ ...reply, correlation: frame.correlation });
      throw new RangeError(`the reply has ${reply.body.length} bytes, more than ${maxReplyBytes}`);
    } catch (error) {
      const problem = problemReplyFor(error, this.parts.log, fields);
      return encodeReply({ ...replyParts(problem), correlation: frame.correlation });
    }
  }
}

function readPayload(schema: z.ZodType, bytes: Buffer): { value: unknown } | ProblemReply {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch {
    return invalidRequest([{ path: '', message: 'the payload is not JSON' }]);
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? { value: parsed.data } : invalidRequest(fieldErrors(parsed.error));
}

/** Removes the validity from a reply to a caller that would pass it on to its own client. */
function withoutUnreadValidity(
  frame: RequestFrame,
  reply: Omit<ReplyFrame, 'correlation'>,
): Omit<ReplyFrame, 'correlation'> {
  if (reply.headers[validityHeader] === undefined || frame.headers[wantsValidity] !== undefined) return reply;
  const headers = Object.entries(reply.headers).filter(([name]) => name !== validityHeader);
  return { ...reply, headers: Object.fromEntries(headers) };
}

/** Replaces a reply that the caller has cached by 304 without a body, as in HTTP. */
const withoutCachedBody = (
  etag: string | undefined,
  reply: Omit<ReplyFrame, 'correlation'>,
): Omit<ReplyFrame, 'correlation'> =>
  etag !== undefined && reply.status === 200 && reply.headers['etag'] === etag
    ? { ...reply, status: 304, body: emptyBody }
    : reply;

const emptyBody = Buffer.alloc(0);

function replyParts(result: unknown): Omit<ReplyFrame, 'correlation'> {
  if (result instanceof RawReply) return { flags: frameFlags.raw, ...pick(result) };
  if (result instanceof ProblemReply) return { flags: frameFlags.problem, ...pick(result) };
  return { flags: 0, status: 200, headers: {}, body: Buffer.from(JSON.stringify(result ?? null)) };
}

const pick = ({ status, headers, body }: RawReply | ProblemReply) => ({ status, headers, body });
