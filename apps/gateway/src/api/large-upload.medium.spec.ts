import { readdir, rm, stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { RawReply } from '#request-queue';
import { GatewayStack } from '../testing/gateway-stack.js';
import { upload } from '../testing/upload-client.js';

const megabyte = 1024 * 1024;

let stack: GatewayStack;
let url: string;
/** Called when `materials.create` arrives, if a test sets it. Returns headers of the reply. */
let onCreate: (() => Promise<Record<string, string>>) | undefined;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'materials.create': async ({ texture }: any) => {
      const headers = await onCreate?.();
      return RawReply.json(JSON.stringify({ texture }), headers && { headers });
    },
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());

/** Returns the maximum event loop delay in milliseconds. The gateway runs in this process. */
async function maxEventLoopDelay(during: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await during();
  delays.disable();
  return delays.max / 1e6;
}

describe('an upload of 20 MB', () => {
  it('blocks the event loop for less than 200 ms', async () => {
    // Warm-up: the first upload includes the time of the JIT compiler
    await upload(url, megabyte);
    let best = Infinity;
    const end = Date.now() + 60_000;
    // The best of a minute, because a busy machine adds delays. With the body as one string the
    // delays were 215 to 500 ms
    while (best >= 200 && Date.now() < end) {
      const delayMs = await maxEventLoopDelay(async () => {
        const [response] = await upload(url, 20 * megabyte - 10);
        expect(response).toEqual({ status: 200, body: { texture: { kind: 'upload', key: expect.any(String) } } });
      });
      best = Math.min(best, delayMs);
    }
    expect(best).toBeLessThan(200);
  });

  it.each([
    ['left to material-rendering, which has received it, when the request succeeds', {}, 1],
    ['deleted when the reply was stored by an earlier request', { 'idempotency-replayed': 'true' }, 0],
    ['deleted when the request is rejected', undefined, 0],
  ])('is in the blob store during the request, and is %s', async (_, headers, remaining) => {
    const folder = `${stack.folder}/uploads`;
    await rm(folder, { recursive: true, force: true });
    let sizes: number[] = [];
    // Correct for a single upload only: others could be added or deleted between readdir and stat
    onCreate = async () => {
      sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(`${folder}/${name}`)).size));
      if (!headers) throw new DomainError(problems['item.not-found'], 'The item does not exist.');
      return headers;
    };
    await upload(url, 20 * megabyte);
    onCreate = undefined;
    expect(sizes).toEqual([20 * megabyte]);
    expect(await readdir(folder)).toHaveLength(remaining);
    // Written once, under its name: there are no partial files to rename
    expect(await readdir(stack.folder)).toEqual(['uploads']);
  });

  it('is the maximum: one byte more is rejected, as is a body over 32 MB', async () => {
    const [texture] = await upload(url, 20 * megabyte + 1);
    expect([texture!.status, texture!.body.code]).toEqual([422, 'texture.too-large']);
    const [body] = await upload(url, 25 * megabyte);
    expect([body!.status, body!.body.code]).toEqual([413, 'request.too-large']);
  });

  it('waits for a permit if needed: twelve concurrent uploads of 2 MB succeed', async () => {
    const responses = await upload(url, 2 * megabyte, 12);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });
});
