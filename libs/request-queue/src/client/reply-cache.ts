import { type Registry } from 'prom-client';
import { Cache } from '#cache';

/** The body of a cached reply. */
export interface CachedBody {
  readonly etag: string;
  readonly body: Buffer;
  /** The same bytes by content coding, each encoded at its first use. */
  readonly encoded: Map<string, Promise<Buffer>>;
}

/** Identity, gzip and brotli. An encoded JSON body is smaller, usually a tenth. */
const codingCount = 3;
/** Memory of the map and the objects of a body. */
const overheadBytes = 300;
const tagShare = 1 / 16;

/**
 * Cache of reply bodies in the process that sends requests, by entity tag. Every hit is validated:
 * the request contains the tag, and the service replies 304 or with another body. Callers never get
 * stale data or data of another viewer; only the bytes are not transferred again.
 */
export class ReplyCache {
  private readonly bodies: Cache<CachedBody>;
  /** Tags of the last replies to requests, of any viewer. */
  private readonly tags: Cache<string>;

  /** @param maxBytes limit of both caches together: bodies with encodings, requests with tags */
  constructor(maxBytes: number, registry?: Registry) {
    this.bodies = new Cache({
      name: 'replies',
      maxBytes: maxBytes * (1 - tagShare),
      bytesOf: ({ body }) => codingCount * body.length + overheadBytes,
      ...(registry && { registry }),
    });
    this.tags = new Cache({
      name: 'replies',
      maxBytes: maxBytes * tagShare,
      bytesOf: ({ length }) => length,
      ...(registry && { registry }),
    });
  }

  /** Returns the body of the last reply to a request. */
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
    // A copy, because `body` is a view of a larger buffer, which would stay in memory, too
    const copy = Buffer.allocUnsafeSlow(body.length);
    body.copy(copy);
    const stored = { etag, body: copy, encoded: new Map<string, Promise<Buffer>>() };
    this.bodies.set(etag, stored);
    return stored;
  }

  /** Size of all entries, at most the limit. */
  get bytes(): number {
    return this.bodies.bytes + this.tags.bytes;
  }
}
