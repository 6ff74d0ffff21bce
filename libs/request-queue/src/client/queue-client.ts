import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { randomUUID } from 'node:crypto';
import { problems, type Message, type MessageTable, type ReplyOf, type RequestOf } from '#contracts';
import { DomainError, type ProblemBody } from '#kernel';
import { isTraced, SpanKind, traced, traceparent } from '#observability';
import { currentCall } from '../current-call.js';
import { knownTag, maximumRequestBytes } from '../wire/keys.js';
import { type QueueReply } from './pending-request.js';
import { type QueueTransport } from './queue-transport.js';
import { type ReplyCache } from './reply-cache.js';

export interface CallOptions {
  /** Default: the message's own; never more than what is left of the call that is being served. */
  readonly timeoutMs?: number;
  /** Gives up: a request that still waits is taken out of the queue, one that runs is not stopped. */
  readonly signal?: AbortSignal;
}

/** The `DomainError` that the service threw, made again from its problem document. */
export function problemFrom({ status, headers, body }: QueueReply): DomainError {
  const problem = JSON.parse(body.toString()) as ProblemBody;
  const known = Object.hasOwn(problems, problem.code) ? problems[problem.code as keyof typeof problems] : undefined;
  const kind = known?.status === status ? known : { code: problem.code, status, title: problem.title };
  return new DomainError(kind, problem.detail, problem.errors, headers);
}

/** Asks one service. Names, payloads and replies are those of its message table. */
export class QueueClient<Table extends MessageTable> extends ClientProxy {
  constructor(
    private readonly service: string,
    private readonly table: Table,
    private readonly transport: QueueTransport,
    private readonly replies?: ReplyCache,
  ) {
    super();
  }

  /**
   * Asks, and parses the answer.
   *
   * @throws DomainError the rejection by the service, `service.unavailable` or `service.overloaded` (503, certainly not
   *   executed), `service.no-answer` (504, unknown), `request.too-large`; or the reason of the signal
   */
  async call<Name extends keyof Table & string>(
    name: Name,
    payload: RequestOf<Table, Name>,
    options: CallOptions = {},
  ): Promise<ReplyOf<Table, Name>> {
    const answer = await this.request(name, payload, options);
    if (answer.isProblem) throw problemFrom(answer);
    const reply = this.message(name).reply.safeParse(JSON.parse(answer.body.toString()));
    if (reply.success) return reply.data as ReplyOf<Table, Name>;
    throw new Error(`${this.service} answered ${name} with another shape: ${reply.error.message}`);
  }

  /**
   * Asks, and hands the answer over as it came, problem replies included: nothing is parsed.
   *
   * @throws as `call`, except for rejections by the service
   */
  request<Name extends keyof Table & string>(
    name: Name,
    payload: RequestOf<Table, Name>,
    options: CallOptions = {},
  ): Promise<QueueReply> {
    return this.replies && this.message(name).safe
      ? this.revalidate(this.replies, name, payload, options)
      : this.ask(name, payload, options, {});
  }

  /** Nothing to do: the transport connects by itself and stays connected. */
  override connect(): Promise<void> {
    return Promise.resolve();
  }

  /** The connections belong to all clients of the process: close `QueueClients`. */
  override close(): void {
    return;
  }

  override unwrap<Transport>(): Transport {
    return this.transport as Transport;
  }

  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const giveUp = new AbortController();
    this.ask(String(packet.pattern), packet.data, { signal: giveUp.signal }, metadataOf(packet)).then(
      (answer) => {
        if (answer.isProblem) callback({ err: problemFrom(answer), isDisposed: true });
        else callback({ response: JSON.parse(answer.body.toString()) as unknown, isDisposed: true });
      },
      (err: unknown) => callback({ err, isDisposed: true }),
    );
    return () => giveUp.abort();
  }

  protected override async dispatchEvent<Result>(packet: ReadPacket): Promise<Result> {
    await this.ask(String(packet.pattern), packet.data, {}, metadataOf(packet), false);
    return undefined as Result;
  }

  /** Names the last reply to the same request: if it is still the reply, its bytes are not transferred again. */
  private async revalidate(
    cache: ReplyCache,
    name: string,
    payload: unknown,
    options: CallOptions,
  ): Promise<QueueReply> {
    const key = cacheKeyOf(name, payload);
    const last = cache.last(key);
    const reply = await this.ask(name, payload, options, last ? { [knownTag]: last.etag } : {});
    if (reply.status === 304 && last) {
      cache.validated();
      return { ...reply, status: 200, body: last.body, cached: last };
    }
    const { etag } = reply.headers;
    if (reply.status !== 200 || etag === undefined) return reply;
    const stored = cache.store(key, etag, reply.body);
    return { ...reply, body: stored.body, cached: stored };
  }

  private ask(
    name: string,
    payload: unknown,
    options: CallOptions,
    metadata: Readonly<Record<string, string>>,
    wantsReply = true,
  ): Promise<QueueReply> {
    const { service } = this;
    if (!isTraced()) return this.askNow(name, payload, options, metadata, wantsReply);
    return traced(`ask ${service} ${name}`, spanOf(service, name), () =>
      this.askNow(name, payload, options, metadata, wantsReply),
    );
  }

  private async askNow(
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
    if (bytes.length > maximumRequestBytes) {
      throw new DomainError(
        problems['request.too-large'],
        `${name}: at most ${maximumRequestBytes} bytes can be asked.`,
      );
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
      signal: eitherSignal(options.signal, call?.callerSignal),
    });
  }

  private message(name: string): Message {
    const message = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (!message) throw new TypeError(`${this.service} has no message "${name}"`);
    return message;
  }
}

/** The same for all who ask it: what they are answered may differ, but seldom does. */
function cacheKeyOf(name: string, payload: unknown): string {
  return `${name} ${JSON.stringify({ ...(payload as object), viewerId: undefined })}`;
}

const spanOf = (service: string, name: string) => ({
  kind: SpanKind.CLIENT,
  attributes: { 'rpc.system': 'request-queue', 'rpc.service': service, 'rpc.method': name },
});

const metadataOf = (packet: ReadPacket): Record<string, string> =>
  (packet as { metadata?: Record<string, string> }).metadata ?? {};

function eitherSignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
