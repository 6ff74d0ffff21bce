import { pathToFileURL } from 'node:url';
import { problems, type ExternalImage, externalImageKey, externalImagePath } from '#contracts';
import { DomainError } from '#kernel';
import { type BlobStore, openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';
import { user } from '../testing/shop-fixture.js';

const url = 'https://elsewhere.example.com/1.png';
const avatar: ExternalImage = { userId: 7, kind: 'avatar', id: 7, url };
const choiceBanner: ExternalImage = { userId: 7, kind: 'choice', id: 3, url };
const banner: ExternalImage = { userId: 0, kind: 'banner', id: 4, url };
const bytes = Buffer.from('an image in WebP');

let stack: GatewayStack;
let origin: string;
let blobs: BlobStore;
let calls: object[];
let store: (image: ExternalImage) => Promise<unknown>;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'users.get': ({ userId }: { userId: number }) => {
      if (userId !== 7) throw new DomainError(problems['user.not-found'], 'Unknown user.');
      return { user: user({ id: 7, avatarUrl: url }) };
    },
    'choices.get': ({ viewerId, choiceId }: { viewerId: number; choiceId: number }) => {
      if (choiceId !== 3 || viewerId !== 7) throw new DomainError(problems['choice.not-found'], 'Unknown choice.');
      const { id, name, displayName, avatarUrl } = user({ id: 7 });
      const owner = { id, name, displayName, avatarUrl };
      const texts = { title: 'Secret', description: null, secret: true };
      return { choice: { id: 3, ...texts, bannerUrl: url, productsCount: 0, user: owner } };
    },
    'banners.list': () => ({ banners: [{ id: 4, displaySize: 'large', imageUrl: url }] }),
    'external-images.store': async (image: ExternalImage) => {
      calls.push(image);
      await store(image);
      return { key: externalImageKey(image) };
    },
  });
  origin = await stack.gateway();
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());
beforeEach(async () => {
  await blobs.deletePrefix('external');
  calls = [];
  store = (image) => blobs.put(externalImageKey(image), bytes);
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

it.each([avatar, choiceBanner, banner])(
  'is stored on its first request, and then read from the store: %j',
  async (image) => {
    for (let time = 0; time < 2; time++) {
      const { status, headers, body } = await get(externalImagePath(image));
      expect([status, body]).toEqual([200, bytes.toString()]);
      expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
        'image/webp',
        'public, max-age=86400',
      ]);
      expect((await get(externalImagePath(image), { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    }
    expect(calls).toEqual([image]);
  },
);

it('is not fetched unless its owner has the URL', async () => {
  for (const image of [
    { ...avatar, url: 'https://elsewhere.example.com/2.png' },
    { ...avatar, kind: 'header' } as const,
    { ...avatar, userId: 8 },
    { ...avatar, id: 8 },
    { ...choiceBanner, userId: 8 },
    { ...choiceBanner, id: 4 },
    { ...banner, userId: 7 },
    { ...banner, id: 5 },
  ])
    expect((await get(externalImagePath(image))).status).toBe(404);
  for (const name of ['0/avatar/0', '7/other/7', '7%2F/avatar/7', '%2e%2e/avatar/7', '7/avatar/..'])
    expect((await get(`/images/v1/external/${name}/${'0'.repeat(32)}.webp`)).status).toBe(404);
  expect(calls).toEqual([]);
});

it.each([
  ['texture.address-refused', 404, 'picture.not-found'],
  ['service.overloaded', 503, 'service.overloaded'],
] as const)('is missing after %s', async (failure, status, code) => {
  store = () => Promise.reject(new DomainError(problems[failure], 'Internal.'));
  const reply = await get(externalImagePath(avatar));
  expect([reply.status, (JSON.parse(reply.body) as { code: string }).code]).toEqual([status, code]);
});
