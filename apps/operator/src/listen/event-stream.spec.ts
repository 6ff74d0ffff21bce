import { Readable } from 'node:stream';
import { readEventStream } from './event-stream.js';

/** Parses a stream that arrives in chunks of `size` bytes. */
async function parsed(text: string, size: number) {
  const bytes = Buffer.from(text);
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
  const chunks = Readable.from(starts.map((start) => bytes.subarray(start, start + size)));
  const blocks = [];
  for await (const block of readEventStream(chunks)) blocks.push(block);
  return blocks;
}

const stream = 'retry: 1500\nid: 7\n\nid: 8\ndata: {"title":"灯台"}\n\n: heartbeat\nid: 12\n\nid: 13\ndata: {}\n';

it.each([1, 2, 3, 7, 1_000])('parses blocks that arrive in chunks of %d bytes', async (size) => {
  expect((await parsed(stream, size)).slice(0, 3)).toEqual([
    { id: '7', retryMs: 1_500 },
    { id: '8', data: '{"title":"灯台"}' },
    { id: '12' },
  ]);
});

it('discards an incomplete block at the end', async () => {
  expect(await parsed(stream, 1_000)).toHaveLength(3);
});

it('joins the lines of data', async () => {
  expect(await parsed('data: a\ndata:b\n\n', 1_000)).toEqual([{ data: 'a\nb' }]);
});
