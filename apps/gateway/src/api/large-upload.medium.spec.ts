import { readdir, stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { RawReply } from '#request-queue';
import { GatewayStack } from '../testing/gateway-stack.js';
import { upload } from '../testing/upload-client.js';

const megabyte = 1024 * 1024;

let stack: GatewayStack;
let url: string;
/** What the blob store held when a create arrived, where a test asks for it. */
let seeStored: (() => Promise<void>) | undefined;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'materials.create': async ({ texture }: any) => {
      await seeStored?.();
      return RawReply.json(JSON.stringify({ texture }));
    },
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());

/** The longest time in milliseconds for which the gateway, which is this process, did nothing else. */
async function longestPause(during: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await during();
  delays.disable();
  return delays.max / 1e6;
}

describe('an upload of 20 MB', () => {
  it('never stops the others for as long as they would notice', async () => {
    // The first one pays for the compiler
    await upload(url, megabyte);
    let best = Infinity;
    // The best of some, because a busy machine adds pauses of its own. They were 215 to 500 ms when the body was one text
    for (let time = 0; time < 10 && best >= 200; time++) {
      const pause = await longestPause(async () => {
        const [answer] = await upload(url, 20 * megabyte - 10);
        expect(answer).toEqual({ status: 200, body: { texture: { kind: 'upload', key: expect.any(String) } } });
      });
      best = Math.min(best, pause);
    }
    expect(best).toBeLessThan(200);
  });

  it('is in the blob store as long as the request lives', async () => {
    const folder = `${stack.folder}/uploads`;
    let sizes: number[] = [];
    // Only here, with one upload: those of others come and go between the two calls
    seeStored = async () => {
      sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(`${folder}/${name}`)).size));
    };
    await upload(url, 20 * megabyte);
    seeStored = undefined;
    expect(sizes).toEqual([20 * megabyte]);
    expect(await readdir(`${stack.folder}/uploads`)).toEqual([]);
  });

  it('is refused when it has a byte more, and as a body over 32 MB', async () => {
    const [texture] = await upload(url, 20 * megabyte + 1);
    expect([texture!.status, texture!.body.code]).toEqual([422, 'texture.too-large']);
    const [body] = await upload(url, 25 * megabyte);
    expect([body!.status, body!.body.code]).toEqual([413, 'request.too-large']);
  });

  it('waits for its turn when there are many', async () => {
    const answers = await upload(url, 2 * megabyte, 12);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });
});
