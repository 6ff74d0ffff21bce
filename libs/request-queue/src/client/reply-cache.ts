import { type Registry } from 'prom-client';
import { Cache } from '#cache';

/** The body of a cached reply. */
export interface CachedBody {
  readonly etag: string;
  readonly body: Buffer;
  /** The same bytes by content coding, each encoded at its first use. */
  readonly encoded: Map<string, Promise<Buffer>>;
}

/** Identity, gzip and brotli: an encoded body is never larger, and mostly a tenth. */
const codings = 3;
/** The map and the objects of a body. */
const bodyBytes = 300;
const shareOfTags = 1 / 16;

/**
 * Cache of reply bodies in the process that sends requests, by entity tag. A cached body is never used by itself: each request names
 * the tag to the service, which replies that this is still the reply, or another one. So no caller sees stale data or data
 * of another viewer; only the bytes are not transferred again.
 */
export class ReplyCache {
  private readonly bodies: Cache<CachedBody>;
  /** The tag of the last reply to a request, of any viewer. */
  private readonly tags: Cache<string>;

  /** @param maxBytes of all bodies with their encodings, and of the requests */
  constructor(maxBytes: number, registry?: Registry) {
    this.bodies = new Cache({
      name: 'replies',
      maxBytes: maxBytes * (1 - shareOfTags),
      bytesOf: ({ body }) => codings * body.length + bodyBytes,
      ...(registry && { registry }),
    });
    this.tags = new Cache({
      name: 'replies',
      maxBytes: maxBytes * shareOfTags,
      bytesOf: ({ length }) => length,
      ...(registry && { registry }),
    });
  }

  /** The body of the last reply to a request. */
  last(request: string): CachedBody | undefined {
    const etag = this.tags.peek(request);
    return etag === undefined ? undefined : this.bodies.peek(etag);
  }

  /** Counts a reply whose bytes were not transferred. */
  validated(): void {
    this.bodies.count('hit');
  }

  store(request: string, etag: string, body: Buffer): CachedBody {
    this.bodies.count('miss');
    this.tags.set(request, etag);
    const cached = this.bodies.peek(etag);
    if (cached) return cached;
    // A copy: the bytes that came are a part of a larger buffer, which would stay in memory with them
    const own = Buffer.allocUnsafeSlow(body.length);
    body.copy(own);
    const stored = { etag, body: own, encoded: new Map<string, Promise<Buffer>>() };
    this.bodies.set(etag, stored);
    return stored;
  }

  /** Bytes of all entries, never above the limit. */
  get bytes(): number {
    return this.bodies.bytes + this.tags.bytes;
  }
}
