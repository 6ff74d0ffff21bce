/** A received response. */
export interface RawResponse {
  readonly status: number;
  /** Status line and headers as Latin-1; with a `defect`, the first 500 of the unread bytes. */
  readonly head: string;
  /**
   * Headers by lower-case name; values of a repeated header are joined with a line break, which no
   * value can contain.
   */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Reason why the bytes are not an HTTP response. */
  readonly defect?: string;
}

const endOfHead = Buffer.from('\r\n\r\n');

/**
 * Parses the responses on a connection strictly: bytes that are not a response are reported, not
 * skipped.
 */
export class ResponseReader {
  readonly responses: RawResponse[] = [];
  private rest = Buffer.alloc(0);

  /** @param method of the requests. A response to HEAD has no body, even with a Content-Length */
  constructor(private readonly method: string) {}

  /** True if no bytes remain after the last response. */
  get isAtEnd(): boolean {
    return this.rest.length === 0;
  }

  add(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes]);
    while (this.next());
  }

  /** Ends the input. Remaining bytes are reported as an incomplete response. */
  end(): void {
    if (this.rest.length > 0) this.responses.push(broken(this.rest, 'incomplete response'));
    this.rest = Buffer.alloc(0);
  }

  /** Reads the next response. Returns false if no complete response remains. */
  private next(): boolean {
    const at = this.rest.indexOf(endOfHead);
    if (at < 0) return false;
    const head = this.rest.toString('latin1', 0, at);
    const [first = '', ...lines] = head.split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(first)?.[1]);
    const headers = headersOf(lines);
    if (Number.isNaN(status) || !headers) {
      this.responses.push(broken(this.rest, 'invalid response head'));
      this.rest = Buffer.alloc(0);
      return false;
    }
    const behind = this.rest.subarray(at + endOfHead.length);
    if (status < 200) {
      this.rest = behind;
      return true;
    }
    const hasBody = this.method !== 'HEAD' && status !== 204 && status !== 304;
    const read = hasBody ? bodyOf(headers, behind) : { body: Buffer.alloc(0), length: 0 };
    if (!read) return false;
    this.responses.push({ status, head, headers, body: read.body });
    this.rest = behind.subarray(read.length);
    return true;
  }
}

const broken = (bytes: Buffer, defect: string): RawResponse => ({
  status: 0,
  head: bytes.toString('latin1', 0, 500),
  headers: new Map(),
  body: Buffer.alloc(0),
  defect,
});

/** Returns the headers, or undefined if a line is not a header. */
function headersOf(lines: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
    if (name === undefined) return undefined;
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value! : `${known}\n${value!}`);
  }
  return headers;
}

interface ReadBody {
  readonly body: Buffer;
  /** Number of bytes on the connection, including the framing of chunks. */
  readonly length: number;
}

/** Returns the body, or undefined if it is incomplete. */
function bodyOf(headers: ReadonlyMap<string, string>, bytes: Buffer): ReadBody | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return chunksOf(bytes);
  const length = Number(headers.get('content-length') ?? 0);
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length };
}

function chunksOf(bytes: Buffer): ReadBody | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = parseInt(bytes.toString('latin1', at, line), 16);
    const begin = line + 2;
    if (bytes.length < begin + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), length: begin + 2 };
    chunks.push(bytes.subarray(begin, begin + size));
    at = begin + size + 2;
  }
}
