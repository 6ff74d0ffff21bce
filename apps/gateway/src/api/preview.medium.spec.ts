import { readdir, rm } from 'node:fs/promises';
import { RawReply } from '#request-queue';
import { GatewayStack, send } from '../testing/gateway-stack.js';

let stack: GatewayStack;
let url: string;
let received: any[];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'previews.create': async (payload: any) => {
      const uploads = await readdir(`${stack.folder}/uploads`).catch(() => []);
      received.push({ ...payload, uploads: uploads.length });
      // As material-rendering does
      if (payload.texture?.key) await rm(`${stack.folder}/${payload.texture.key}`);
      return RawReply.json('{"previews":[],"warnings":[]}');
    },
  });
  url = await stack.gateway({ RATE_LIMITS: 'previews.create=12/900' });
});
afterAll(() => stack.close());
beforeEach(() => {
  received = [];
});

const post = (body: unknown, { token = 'reader', headers = {} }: { token?: string; headers?: object } = {}) =>
  send('POST', `${url}/api/v1/previews`, { token, body, headers: { ...headers } });
const texture = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`;

describe('POST /previews', () => {
  it('needs only a read token, and stores a data URI for material-rendering', async () => {
    const { status } = await post(
      { texture, items: [1], placement: { scale: 0.5 }, size: 323 },
      { headers: { 'accept-language': 'ja' } },
    );
    expect(status).toBe(200);
    expect(received).toMatchObject([
      {
        viewerId: 3,
        items: [1],
        colors: [],
        angles: [],
        size: 323,
        language: 'ja',
        uploads: 1,
        texture: { kind: 'upload' },
        placement: { scale: 0.5 },
      },
    ]);
    expect(await readdir(`${stack.folder}/uploads`)).toEqual([]);
  });

  it('sends a URL or the id of a material as it is', async () => {
    await post({ texture: 'https://example.com/cat.png' });
    await post({ materialId: 5 });
    expect(received).toMatchObject([
      { texture: { kind: 'url', url: 'https://example.com/cat.png' }, materialId: null, items: 'all', size: 500 },
      { materialId: 5 },
    ]);
    expect(received[1]).not.toHaveProperty('texture');
  });

  it.each([
    [{}, 400, 'body.texture'],
    [{ texture: 'https://example.com/a.png', materialId: 5 }, 400, 'body.materialId'],
    [{ materialId: 5, items: 'some' }, 400, 'body.items'],
    [{ materialId: 5, items: [] }, 400, 'body.items'],
    [{ materialId: 5, placement: 1 }, 400, 'body.placement'],
    [{ materialId: 5, placement: { repeat: 'tile' } }, 400, 'body.placement.repeat'],
    [{ materialId: 5, size: 501 }, 422, 'body.size'],
    [{ texture: 'data:,' }, 422, 'body.texture'],
  ])('rejects %j', async (body, status, path) => {
    const response = await post(body, { token: 'writer' });
    expect([response.status, response.body.errors.map((it: any) => it.path)]).toEqual([status, [path]]);
    expect(received).toEqual([]);
  });

  it('ignores an Idempotency-Key, because it changes nothing', async () => {
    // Too long, so 400 for operations that write
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    for (const materialId of [5, 6]) {
      const response = await post({ materialId }, { headers });
      expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, null]);
    }
    expect(received).toHaveLength(2);
    expect(received[0]).not.toHaveProperty('idempotency');
  });

  it('has a rate limit of its own', async () => {
    const statuses = [];
    for (let n = 0; n < 13; n++) statuses.push((await post({ materialId: 5 }, { token: 'other-writer' })).status);
    expect(statuses).toEqual([...Array<number>(12).fill(200), 429]);
    const { headers } = await post({ materialId: 5 }, { token: 'other-writer' });
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['12', '0']);
  });
});
