import { nextOffsetHeader } from '#contracts';

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

  /** A page of a list as JSON. `nextOffset` says where the next page begins; null on the last one. */
  static page(json: string, nextOffset: number | null): RawReply {
    return RawReply.json(json, nextOffset === null ? {} : { headers: { [nextOffsetHeader]: String(nextOffset) } });
  }
}
