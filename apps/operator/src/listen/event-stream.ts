/** Block of an event stream (server-sent events). */
export interface StreamBlock {
  readonly id?: string;
  readonly data?: string;
  /** Time after which a client reconnects. */
  readonly retryMs?: number;
}

/**
 * Parses an event stream whose lines end with LF, as those of the gateway. A block at the end
 * without its empty line is incomplete and discarded.
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamBlock> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    yield* blocks.map(blockOf);
  }
}

function blockOf(text: string): StreamBlock {
  const values = (name: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).trimStart()] : []));
  const [id, data, retry] = [values('id').at(-1), values('data'), values('retry').at(-1)];
  return {
    ...(id !== undefined && { id }),
    ...(data.length > 0 && { data: data.join('\n') }),
    ...(retry !== undefined && { retryMs: Number(retry) }),
  };
}
