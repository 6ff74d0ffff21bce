import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call } from './calls.js';
import { compareResponses } from './compare-responses.js';
import type { Side } from './sides.js';

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** Starts a side that returns the same body for every request. */
async function serverReturning(body: string, status = 200): Promise<Side> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { name: 'ours', origin, parts: () => Promise.resolve(new Map()) };
}

const call = (writes = false): Call => ({ name: 'list', requests: [{ method: 'GET', path: '/products' }], writes });
const compare = async (ours: string, floor: string, writes = false) =>
  compareResponses(call(writes), await serverReturning(ours), await serverReturning(floor), 'token');

describe('comparison of two sides', () => {
  it('accepts equal bytes', async () => {
    expect(await compare('{"title":"猫"}', '{"title":"猫"}')).toEqual({ bytes: 15 });
  });

  it('reports the first difference', async () => {
    await expect(compare('{"id":12}', '{"id":13}')).rejects.toThrow(
      /list \/products: the responses differ at 7[^]*"id":12/,
    );
  });

  it('ignores only numbers and hashes of created objects', async () => {
    const made = (id: number, h: string, more = '') => `{"id":${id},"url":"?h=${h.repeat(40)}","x":-0.5${more}}`;
    expect((await compare(made(1, 'a'), made(200, 'b'), true)).bytes).toBeGreaterThan(40);
    await expect(compare(made(1, 'a'), made(1, 'a', ',"y":1'), true)).rejects.toThrow('differ');
  });

  it('rejects error responses', async () => {
    const failing = await serverReturning('{"code":"service.overloaded"}', 503);
    await expect(compareResponses(call(), failing, failing, 'token')).rejects.toThrow('503');
  });
});
