import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { CachedBody } from '#request-queue';
import { sendCached } from './compression.js';

/** Sends a cached body to a client with the given request headers. */
async function sent(body: CachedBody, headers: Record<string, string>): Promise<{ bytes: Buffer; coding: unknown }> {
  const response: { bytes?: Buffer; coding?: unknown } = {};
  const reply = {
    request: { headers },
    header(name: string, value: string) {
      response.coding = [name, value];
      return reply;
    },
    send(bytes: Buffer) {
      response.bytes = bytes;
      return reply;
    },
  };
  await sendCached(reply as unknown as FastifyReply, body);
  return { bytes: response.bytes!, coding: response.coding };
}

const cachedBody = (length: number): CachedBody => new CachedBody('"x"', Buffer.alloc(length, 'x'));

describe('sendCached', () => {
  it('compresses once for each coding, also for concurrent requests', async () => {
    const cached = cachedBody(50_000);
    const all = await Promise.all(Array.from({ length: 5 }, () => sent(cached, { 'accept-encoding': 'br' })));
    for (const { bytes } of all) expect(bytes).toBe(all[0]!.bytes);
    expect(all[0]!.coding).toEqual(['content-encoding', 'br']);
    expect(brotliDecompressSync(all[0]!.bytes).equals(cached.body)).toBe(true);
    const other = await sent(cached, { 'accept-encoding': 'gzip' });
    expect(gunzipSync(other.bytes).equals(cached.body)).toBe(true);
    expect((await sent(cached, { 'accept-encoding': 'gzip' })).bytes).toBe(other.bytes);
  });

  it.each([[{}], [{ 'accept-encoding': 'identity' }], [{ 'accept-encoding': 'br', 'x-no-compression': '1' }]])(
    'sends the body uncompressed without an accepted encoding, or with x-no-compression: %j',
    async (headers) => {
      const cached = cachedBody(50_000);
      const { bytes, coding } = await sent(cached, headers);
      expect(bytes).toBe(cached.body);
      expect(coding).toBeUndefined();
    },
  );

  it('sends a small body uncompressed', async () => {
    const cached = cachedBody(1_023);
    expect((await sent(cached, { 'accept-encoding': 'br' })).bytes).toBe(cached.body);
  });
});
