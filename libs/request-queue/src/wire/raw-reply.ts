import { createHash } from 'node:crypto';
import { nextOffsetHeader } from '#contracts';
import { validityHeader } from './keys.js';

/**
 * Returns the strong entity tag of a body, which is the same for the same bytes in every process.
 */
export const entityTag = (body: Buffer): string => `"${createHash('sha256').update(body).digest('base64url')}"`;

/**
 * HTTP headers of a reply. Names that the queue and the gateway read, such as `etag`, are
 * lower-case.
 */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** Result of a handler whose bytes are passed on to the HTTP client without being parsed. */
export class RawReply {
  private constructor(
    readonly body: Buffer,
    readonly status: number,
    readonly headers: ReplyHeaders,
  ) {}

  /**
   * Creates a reply from JSON bytes, which may be compressed if `headers` has `content-encoding`.
   * Services send JSON uncompressed: the gateway compresses it for each client.
   */
  static json(bytes: Buffer | string, options: { status?: number; headers?: ReplyHeaders } = {}): RawReply {
    return new RawReply(
      typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      options.status ?? 200,
      options.headers ?? {},
    );
  }

  /** Returns this reply with the strong entity tag of its bytes. */
  tagged(): RawReply {
    return new RawReply(this.body, this.status, { ...this.headers, etag: entityTag(this.body) });
  }

  /**
   * Returns this reply with a validity, so that callers may use it again for other viewers.
   *
   * @param validity value that `replies.validate` of the service checks
   */
  validWhile(validity: string): RawReply {
    return new RawReply(this.body, this.status, { ...this.headers, [validityHeader]: validity });
  }

  /** Creates the reply of a page of a list. @param nextOffset offset of the next page, or null */
  static page(json: Buffer | string, nextOffset: number | null): RawReply {
    return RawReply.json(json, nextOffset === null ? {} : { headers: { [nextOffsetHeader]: String(nextOffset) } });
  }
}
