import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { runInCall } from '#request-queue';
import { TextureIntake } from '../testing/texture-intake.js';
import { TextureDecoder } from './texture.decoder.js';
import { fetchLimits } from './fetch.limiter.js';
import { testImage } from './testing/test-images.js';
import type { TextureService } from './texture.service.js';

const { bytesPerSecond } = fetchLimits;

/** Starts a server with an endless response at `rate` bytes per second; an empty response for 0. */
async function slowServer(rate: () => number): Promise<Server> {
  const server = createServer((_request, response) => {
    if (rate() === 0) response.end();
    const timer = setInterval(() => response.write(Buffer.alloc(rate() / 2)), 500);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

const hostOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('slow servers', () => {
  let intake: TextureIntake;
  let decoder: TextureDecoder;
  let textures: TextureService;
  let servers: Server[];
  let isOver = false;

  beforeAll(async () => {
    intake = await TextureIntake.open();
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    // Only the first one is below the minimum rate
    const rates = [8, 2 * bytesPerSecond, 2 * bytesPerSecond];
    servers = await Promise.all(rates.map((rate) => slowServer(() => (isOver ? 0 : rate))));
    textures = intake.serviceWith(decoder, Infinity, servers.map(hostOf));
  });

  afterAll(async () => {
    decoder.onApplicationShutdown();
    for (const server of servers) server.close().closeAllConnections();
    await intake.close();
  });

  const store = (userId: number, url: string) => {
    const call = { requestId: `${userId}`, signal: new AbortController().signal, caller: () => `${userId}` };
    return runInCall(call, () => textures.store(userId, [{ kind: 'url', url }]));
  };

  it('are aborted below the minimum rate, before the timeout', async () => {
    await expect(store(1, `http://${hostOf(servers[0]!)}/slow.png`)).rejects.toMatchObject({
      kind: { code: 'texture.not-fetched', status: 422 },
      // The timeout has another message
      detail: expect.stringMatching(/less than 16384 bytes a second \(HTTP 200, \d+ bytes\)/),
    });
  });

  it('of three users do not block the textures of seven other users', async () => {
    intake.served = { bytes: await testImage({ format: 'png', width: 40, height: 40 }) };
    const again = async (userId: number, url: string): Promise<void> => {
      while (!isOver) await store(userId, url).catch(() => setTimeout(50));
    };
    const attacks = servers.flatMap((server, user) =>
      Array.from({ length: 12 }, () => again(user + 1, `http://${hostOf(server)}/slow.png`)),
    );
    await setTimeout(500);
    const victims = await Promise.allSettled(
      Array.from({ length: 7 }, (_, user) => store(user + 11, intake.addressOf('cat.png'))),
    );
    isOver = true;
    for (const server of servers) server.closeAllConnections();
    await Promise.all(attacks);
    expect(victims.map(({ status }) => status)).toEqual(Array(7).fill('fulfilled'));
  });
});
