import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { KeptBody } from '#request-queue';
import { sendKept } from './compression.js';

/** What is sent of a body that is kept, to a client with these headers. */
async function sent(kept: KeptBody, headers: Record<string, string>): Promise<{ bytes: Buffer; coding: unknown }> {
  const answer: { bytes?: Buffer; coding?: unknown } = {};
  const reply = {
    request: { headers },
    header(name: string, value: string) {
      answer.coding = [name, value];
      return reply;
    },
    send(bytes: Buffer) {
      answer.bytes = bytes;
      return reply;
    },
  };
  await sendKept(reply as unknown as FastifyReply, kept);
  return { bytes: answer.bytes!, coding: answer.coding };
}

const keptBody = (length: number): KeptBody => ({ etag: '"x"', body: Buffer.alloc(length, 'x'), encoded: new Map() });

describe('a body that is kept', () => {
  it('is compressed once for each coding, also when many want it at the same time', async () => {
    const kept = keptBody(50_000);
    const all = await Promise.all(Array.from({ length: 5 }, () => sent(kept, { 'accept-encoding': 'br' })));
    for (const { bytes } of all) expect(bytes).toBe(all[0]!.bytes);
    expect(all[0]!.coding).toEqual(['content-encoding', 'br']);
    expect(brotliDecompressSync(all[0]!.bytes).equals(kept.body)).toBe(true);
    const other = await sent(kept, { 'accept-encoding': 'gzip' });
    expect(gunzipSync(other.bytes).equals(kept.body)).toBe(true);
    expect([...kept.encoded.keys()]).toEqual(['br', 'gzip']);
  });

  it.each([[{}], [{ 'accept-encoding': 'identity' }], [{ 'accept-encoding': 'br', 'x-no-compression': '1' }]])(
    'is sent as it is to who wants it so: %j',
    async (headers) => {
      const kept = keptBody(50_000);
      const { bytes, coding } = await sent(kept, headers);
      expect(bytes).toBe(kept.body);
      expect(coding).toBeUndefined();
    },
  );

  it('is sent as it is when it is small', async () => {
    const kept = keptBody(1_023);
    expect((await sent(kept, { 'accept-encoding': 'br' })).bytes).toBe(kept.body);
  });
});
