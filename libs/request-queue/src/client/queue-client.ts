import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { randomUUID } from 'node:crypto';
import {
  problems,
  type Message,
  type MessageTable,
  type ReplyOf,
  type RequestOf,
  type validationMessages,
} from '#contracts';
import { DomainError, type ProblemBody } from '#kernel';
import { isTraced, SpanKind, traced, traceparent } from '#observability';
import { currentCall, runShared } from '../current-call.js';
import { ifNoneMatch, maxRequestBytes, validityHeader, wantsValidity } from '../wire/keys.js';
import { type QueueReply } from './pending-request.js';
import { type QueueTransport } from './queue-transport.js';
import { type LastReply, type ReplyCache } from './reply-cache.js';
import { ReplyValidator, type Revalidation } from './reply-validator.js';
import { ReusableReply } from './reusable-reply.js';

export interface CallOptions {
  /** Default: the timeout of the message. At most the remaining time of the current call. */
  readonly timeoutMs?: number;
  /**
   * Aborts the request. A waiting request is removed from the queue; a running handler continues.
   */
  readonly signal?: AbortSignal;
}

/** Recreates the `DomainError` that a service threw from its problem document. */
export function problemFrom({ status, headers, body }: QueueReply): DomainError {
  const problem = JSON.parse(body.toString()) as ProblemBody;
  const known = Object.hasOwn(problems, problem.code) ? problems[problem.code as keyof typeof problems] : undefined;
  const kind = known?.status === status ? known : { code: problem.code, status, title: problem.title };
  return new DomainError(kind, problem.detail, problem.errors, headers);
}

/** Client of one service. Names, payloads and replies have the types of its message table. */
export class QueueClient<Table extends MessageTable> extends ClientProxy {
  /** Undefined for a service that does not validate cached replies. */
  private readonly validator: ReplyValidator | undefined;

  constructor(
    private readonly service: string,
    private readonly table: Table,
    private readonly transport: QueueTransport,
    private readonly replies?: ReplyCache,
  ) {
    super();
    if (replies && Object.hasOwn(table, 'replies.validate'))
      this.validator = new ReplyValidator((cached) => runShared(() => this.validate(cached)));
  }

  /**
   * Sends a request and returns the parsed reply, null for one without a body.
   *
   * @throws DomainError the problem of the service; `service.unavailable` or `service.overloaded`
   *   (503, not executed), `service.no-answer` (504, unknown), `request.too-large`
   * @throws Error the reason of the signal, or a reply that does not match its schema
   */
  async call<Name extends keyof Table & string>(
    name: Name,
    payload: RequestOf<Table, Name>,
    options: CallOptions = {},
  ): Promise<ReplyOf<Table, Name>> {
    const reply = await this.request(name, payload, options);
    if (reply.isProblem) throw problemFrom(reply);
    // A 204 has no body
    const body: unknown = reply.body.length === 0 ? null : JSON.parse(reply.body.toString());
    const parsed = this.message(name).reply.safeParse(body);
    if (parsed.success) return parsed.data as ReplyOf<Table, Name>;
    throw new Error(`${this.service}: the reply to ${name} does not match its schema: ${parsed.error.message}`);
  }

  /**
   * Sends a request and returns the reply unparsed, also of a problem.
   *
   * @throws as `call`, except for problems of the service and for replies that do not match their
   *   schema
   */
  request<Name extends keyof Table & string>(
    name: Name,
    payload: RequestOf<Table, Name>,
    options: CallOptions = {},
  ): Promise<QueueReply> {
    return this.replies && this.message(name).safe
      ? this.revalidate(this.replies, name, payload, options)
      : this.transmit(name, payload, options, {});
  }

  /** No-op: the transport connects by itself and reconnects. */
  override connect(): Promise<void> {
    return Promise.resolve();
  }

  /** No-op: all clients of the process share the connections. Close `QueueClients` instead. */
  override close(): void {
    return;
  }

  override unwrap<Transport>(): Transport {
    return this.transport as Transport;
  }

  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const abort = new AbortController();
    this.transmit(String(packet.pattern), packet.data, { signal: abort.signal }, metadataOf(packet)).then(
      (reply) => {
        if (reply.isProblem) callback({ err: problemFrom(reply), isDisposed: true });
        else callback({ response: JSON.parse(reply.body.toString()) as unknown, isDisposed: true });
      },
      (err: unknown) => callback({ err, isDisposed: true }),
    );
    return () => abort.abort();
  }

  protected override async dispatchEvent<Result>(packet: ReadPacket): Promise<Result> {
    await this.transmit(String(packet.pattern), packet.data, {}, metadataOf(packet), false);
    return undefined as Result;
  }

  /**
   * Returns the last reply to a request that is equal apart from its viewer, if the service
   * confirms it. Otherwise sends the request with the entity tag of that reply, so that the same
   * bytes are not transferred again.
   */
  private async revalidate(
    cache: ReplyCache,
    name: string,
    payload: unknown,
    options: CallOptions,
  ): Promise<QueueReply> {
    const message = this.message(name);
    const key = cacheKeyOf(name, payload, message);
    const last = cache.last(key);
    const reusable = (reply: LastReply): ReusableReply | undefined =>
      this.validator && reply.validity !== undefined
        ? new ReusableReply(cache, this.validator, key, reply, message.perViewer === true)
        : undefined;
    const lastReply = last && reusable(last.reply);
    if (last && (await lastReply?.isValidFor(viewerOf(payload)))) {
      lastReply?.countHit();
      const { reply, cached } = last;
      return { status: 200, headers: reply.headers, body: cached.body, isProblem: false, cached, reusable: lastReply };
    }
    const reply = await this.transmit(name, payload, options, {
      ...(this.validator && { [wantsValidity]: '1' }),
      ...(last && { [ifNoneMatch]: last.reply.etag }),
    });
    const { [validityHeader]: validity, ...headers } = reply.headers;
    const { etag } = headers;
    // A viewer with drafts does not replace the reply that others may get
    const isForOthers = validity !== undefined || last?.reply.validity === undefined;
    if (reply.status === 304 && last) {
      const confirmed = { etag: last.reply.etag, headers, validity };
      if (isForOthers) cache.confirm(key, confirmed);
      else cache.countUse(key, last.reply);
      const { cached } = last;
      return { ...reply, headers, status: 200, body: cached.body, cached, reusable: reusable(confirmed) };
    }
    if (reply.status !== 200 || etag === undefined || !isForOthers) return { ...reply, headers };
    const stored = { etag, headers, validity };
    const cached = cache.store(key, stored, reply.body);
    return { ...reply, headers, body: cached.body, cached, reusable: reusable(stored) };
  }

  private async validate(replies: readonly Revalidation[]): Promise<readonly boolean[]> {
    const reply = await this.transmit('replies.validate', { replies }, {}, {});
    if (reply.isProblem) throw problemFrom(reply);
    return (JSON.parse(reply.body.toString()) as ReplyOf<typeof validationMessages, 'replies.validate'>).valid;
  }

  private transmit(
    name: string,
    payload: unknown,
    options: CallOptions,
    metadata: Readonly<Record<string, string>>,
    wantsReply = true,
  ): Promise<QueueReply> {
    const { service } = this;
    if (!isTraced()) return this.transmitUntraced(name, payload, options, metadata, wantsReply);
    return traced(`request ${service} ${name}`, spanOf(service, name), () =>
      this.transmitUntraced(name, payload, options, metadata, wantsReply),
    );
  }

  private async transmitUntraced(
    name: string,
    payload: unknown,
    options: CallOptions,
    metadata: Readonly<Record<string, string>>,
    wantsReply: boolean,
  ): Promise<QueueReply> {
    const call = currentCall();
    const caller = call?.caller;
    const parent = traceparent() ?? call?.traceparent;
    const { safe, lane, timeoutMs } = this.message(name);
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length > maxRequestBytes) {
      throw new DomainError(problems['request.too-large'], `${name}: at most ${maxRequestBytes} bytes can be sent.`);
    }
    return this.transport.request({
      service: this.service,
      pattern: name,
      payload: bytes,
      headers: {
        requestId: call?.requestId ?? randomUUID(),
        ...(parent !== undefined && { traceparent: parent }),
        ...(caller !== undefined && { caller }),
        ...metadata,
      },
      timeoutMs: Math.min(options.timeoutMs ?? timeoutMs, call?.remainingMs() ?? Infinity),
      safe: safe && wantsReply,
      lane,
      wantsReply,
      signal: anySignal(options.signal, call?.callerSignal),
    });
  }

  private message(name: string): Message {
    const message = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (!message) throw new TypeError(`${this.service} has no message "${name}"`);
    return message;
  }
}

/**
 * Returns the key of a request in the reply cache: without the viewer, unless the replies to the
 * message differ by viewer. A reply of another message that differs has another entity tag, so it
 * is transferred, and becomes the last reply of the key.
 */
function cacheKeyOf(name: string, payload: unknown, { perViewer }: Message): string {
  return `${name} ${JSON.stringify(perViewer ? payload : { ...(payload as object), viewerId: undefined })}`;
}

const viewerOf = (payload: unknown): number | null => (payload as { readonly viewerId?: number }).viewerId ?? null;

const spanOf = (service: string, name: string) => ({
  kind: SpanKind.CLIENT,
  attributes: { 'rpc.system': 'request-queue', 'rpc.service': service, 'rpc.method': name },
});

const metadataOf = (packet: ReadPacket): Record<string, string> =>
  (packet as { metadata?: Record<string, string> }).metadata ?? {};

function anySignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
