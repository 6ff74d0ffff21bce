import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { programFile } from '../../dev-stack/apps/apps.js';
import type { BenchStack } from '../bench-stack.js';
import { type Figures, figuresOf } from './figures.js';
import type { Generator } from './generator.js';
import { type LoadShop, slowMaterials, typicalMix } from './mix.js';

/**
 * Response delay. The service aborts a download that receives nothing after 5 s, or after 2 s if
 * other downloads wait.
 */
const responseDelayMs = 4_500;
/** Number of callers, more than the 64 slots of catalog for slow requests. */
const callers = 100;
const visitorsRate = 20;
const headStartMs = 4_000;

/** Starts local servers on separate addresses that return an image after 4.5 s. */
export async function startSlowServers() {
  const image = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const respond: RequestListener = (_, response) => {
    void sleep(responseDelayMs, undefined, { ref: false }).then(() =>
      response.setHeader('Content-Type', 'image/png').end(image),
    );
  };
  // Linux accepts all addresses of 127.0.0.0/8
  const servers = Array.from({ length: callers }, (_, n) => createServer(respond).listen(0, `127.0.1.${n + 1}`));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const hosts = servers.map((server) => {
    const { address, port } = server.address() as AddressInfo;
    return `${address}:${port}`;
  });
  return { hosts, stop: () => servers.forEach((server) => server.close().closeAllConnections()) };
}

/** Load of visitors in parallel with 100 callers that create materials of slow images. */
interface SlowTextures {
  readonly stack: BenchStack;
  readonly shop: LoadShop;
  readonly creators: Generator;
  readonly visitors: Generator;
  readonly seconds: number;
  readonly hosts: readonly string[];
}

/** Measures both loads with two processes of material-rendering and one of catalog. */
export async function measureWithSlowTextures(
  context: SlowTextures,
): Promise<{ materials: Figures; visitors: Figures }> {
  const { stack, shop, seconds, hosts } = context;
  const second = fork(programFile('material-rendering'), {
    execArgv: [],
    env: { ...stack.renderingEnvironment, RENDERING_ROLES: 'requests' },
  });
  await sleep(headStartMs);
  const all = seconds + headStartMs / 1_000;
  const creation = context.creators.run(slowMaterials(shop, hosts), [{ seconds: all, pace: { callers } }]);
  await sleep(headStartMs);
  const visit = await context.visitors.run(typicalMix(shop), [{ seconds, pace: { rate: visitorsRate } }]);
  const materials = figuresOf(await creation, 0, all * 1_000);
  const ended = once(second, 'exit');
  second.kill();
  await ended;
  return { materials, visitors: figuresOf(visit, 0, seconds * 1_000) };
}
