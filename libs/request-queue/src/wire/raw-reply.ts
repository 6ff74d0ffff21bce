import { createHash } from 'node:crypto';
import { nextOffsetHeader } from '#contracts';

/** Strong entity tag of a body: the same bytes have the same tag in every process. */
export const entityTag = (body: Buffer): string => `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Headers of a reply: lower-case names, as HTTP would carry them. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** A handler's result whose bytes go to the caller of the caller untouched: nothing on the way parses them. */
export class RawReply {
  private constructor(
    readonly body: Buffer,
    readonly status: number,
    readonly headers: ReplyHeaders,
  ) {}

  /**
   * Bytes that already are JSON (perhaps compressed, then `headers` says so with `content-encoding`).
   * More than 16 KB should come compressed: large buffers cost more in garbage collection than in copying.
   */
  static json(bytes: Buffer | string, options: { status?: number; headers?: ReplyHeaders } = {}): RawReply {
    return new RawReply(
      typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      options.status ?? 200,
      options.headers ?? {},
    );
  }

  /** The same with the strong entity tag of its bytes. */
  tagged(): RawReply {
    return new RawReply(this.body, this.status, { ...this.headers, etag: entityTag(this.body) });
  }

  /** A page of a list as JSON. `nextOffset` says where the next page begins; null on the last one. */
  static page(json: Buffer | string, nextOffset: number | null): RawReply {
    return RawReply.json(json, nextOffset === null ? {} : { headers: { [nextOffsetHeader]: String(nextOffset) } });
  }
}
