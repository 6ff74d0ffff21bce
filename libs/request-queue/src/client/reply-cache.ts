import { type Registry } from 'prom-client';
import { Cache, ValueUse } from '#cache';
import { type ReplyHeaders } from '../wire/raw-reply.js';

/** Memory of the map and the objects of a body. */
const overheadBytes = 300;

/** The body of a cached reply, also in the content codings that clients have requested. */
export class CachedBody {
  private readonly encodings = new Map<string, Promise<Buffer>>();
  private readonly encoded = new Map<string, Buffer>();

  /** @param onGrowth called after the body was encoded in another coding */
  constructor(
    readonly etag: string,
    readonly body: Buffer,
    private readonly onGrowth?: (grown: CachedBody) => void,
  ) {}

  /** Memory of the body in all codings. */
  get bytes(): number {
    let bytes = this.body.length + overheadBytes;
    for (const { length } of this.encoded.values()) bytes += length;
    return bytes;
  }

  /** Returns the body in a content coding: `identity`, or one in which it was encoded before. */
  bytesIn(coding: string): Buffer | undefined {
    return coding === 'identity' ? this.body : this.encoded.get(coding);
  }

  /** Returns the body in a content coding, encoded at its first use. */
  encodedAs(coding: string, encode: (body: Buffer) => Promise<Buffer>): Promise<Buffer> {
    const known = this.encodings.get(coding);
    if (known) return known;
    const encoding = encode(this.body).then((bytes) => {
      this.encoded.set(coding, bytes);
      this.onGrowth?.(this);
      return bytes;
    });
    this.encodings.set(coding, encoding);
    encoding.catch(() => this.encodings.delete(coding));
    return encoding;
  }
}

/** The last reply to a request, with status 200. */
export interface LastReply {
  readonly etag: string;
  readonly headers: ReplyHeaders;
  /** Value for `replies.validate`; undefined for a reply that must be requested again each time. */
  readonly validity: string | undefined;
}

type StoredReply = LastReply & { readonly use: ValueUse };

interface CachedReply {
  readonly reply: LastReply;
  readonly cached: CachedBody;
}

/** Memory of the tag, the headers and the validity of a reply. */
const replyBytes = 700;
const replyShare = 1 / 16;

/**
 * Cache of replies in the process that sends requests, with their bodies by entity tag. Every hit
 * is validated by the service: by `replies.validate`, or by a request with the entity tag, to which
 * it replies 304 or with another body. Callers never get stale data or data of another viewer.
 */
export class ReplyCache {
  private readonly bodies: Cache<CachedBody>;
  /** Last replies to requests, of any viewer. */
  private readonly replies: Cache<StoredReply>;

  /** @param maxBytes limit of both caches together: bodies in all codings, requests with replies */
  constructor(maxBytes: number, registry?: Registry) {
    this.bodies = new Cache({
      name: 'replies',
      maxBytes: maxBytes * (1 - replyShare),
      bytesOf: ({ bytes }) => bytes,
      ...(registry && { registry }),
    });
    this.replies = new Cache({
      name: 'replies',
      maxBytes: maxBytes * replyShare,
      bytesOf: () => replyBytes,
      ...(registry && { registry }),
    });
  }

  /** Returns the last reply to a request. */
  last(request: string): CachedReply | undefined {
    const reply = this.replies.peek(request);
    const cached = reply && this.bodies.peek(reply.etag);
    return cached && { reply, cached };
  }

  /** Returns the body of a reply; undefined if it was evicted or replaced. */
  bodyOf(request: string, reply: LastReply): CachedBody | undefined {
    return this.replies.peek(request)?.headers === reply.headers ? this.bodies.peek(reply.etag) : undefined;
  }

  /** Returns false if the replies before the last one were never used again. */
  isWorthValidating(request: string): boolean {
    return this.replies.peek(request)?.use.isWorthValidating !== false;
  }

  /** Counts a use of a valid reply. */
  countUse(request: string, { headers }: LastReply): void {
    this.bodies.count('hit');
    const reply = this.replies.peek(request);
    if (reply?.headers === headers) reply.use.wasUsed = true;
  }

  /** Stores a reply and its bytes. */
  store(request: string, reply: LastReply, body: Buffer): CachedBody {
    this.bodies.count('miss');
    this.setReply(request, reply);
    const cached = this.bodies.peek(reply.etag);
    if (cached) return cached;
    // A copy, because `body` is a view of a larger buffer, which would stay in memory, too
    const copy = Buffer.allocUnsafeSlow(body.length);
    body.copy(copy);
    const stored = new CachedBody(reply.etag, copy, (grown) => {
      if (this.bodies.peek(grown.etag) === grown) this.bodies.set(grown.etag, grown);
    });
    this.bodies.set(reply.etag, stored);
    return stored;
  }

  /** Replaces the headers and the validity of a reply whose body the service has confirmed. */
  confirm(request: string, reply: LastReply): void {
    this.bodies.count('hit');
    this.setReply(request, reply);
  }

  private setReply(request: string, reply: LastReply): void {
    const before = this.replies.peek(request);
    const use = ValueUse.after(before?.use, before?.validity === reply.validity);
    this.replies.set(request, { ...reply, use });
  }

  /** Size of all entries, at most the limit. */
  get bytes(): number {
    return this.bodies.bytes + this.replies.bytes;
  }
}
