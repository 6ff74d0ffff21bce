import { pathToFileURL } from 'node:url';
import { problems, type ProfileImage, profileImageKey, profileImagePath } from '#contracts';
import { DomainError } from '#kernel';
import { type BlobStore, openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';
import { user } from '../testing/shop-fixture.js';

const url = 'https://elsewhere.example.com/1.png';
const avatar: ProfileImage = { userId: 7, kind: 'avatar', url };
const bytes = Buffer.from('an image in WebP');

let stack: GatewayStack;
let origin: string;
let blobs: BlobStore;
let calls: object[];
let store: (image: ProfileImage) => Promise<unknown>;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'users.get': ({ userId }: { userId: number }) => {
      if (userId !== 7) throw new DomainError(problems['user.not-found'], 'Unknown user.');
      return { user: user({ id: 7, avatarUrl: url }) };
    },
    'profile-images.store': async (image: ProfileImage) => {
      calls.push(image);
      await store(image);
      return { key: profileImageKey(image) };
    },
  });
  origin = await stack.gateway();
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());
beforeEach(async () => {
  await blobs.deletePrefix('profiles');
  calls = [];
  store = (image) => blobs.put(profileImageKey(image), bytes);
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

it('is stored for the first request, and read from the store for later ones', async () => {
  for (let time = 0; time < 2; time++) {
    const { status, headers, body } = await get(profileImagePath(avatar));
    expect([status, body]).toEqual([200, bytes.toString()]);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'image/webp',
      'public, max-age=86400',
    ]);
    expect((await get(profileImagePath(avatar), { 'if-none-match': headers.get('etag')! })).status).toBe(304);
  }
  expect(calls).toEqual([avatar]);
});

it('is not fetched unless the profile has its URL', async () => {
  for (const image of [
    { ...avatar, url: 'https://elsewhere.example.com/2.png' },
    { ...avatar, kind: 'header' } as const,
    { ...avatar, userId: 8 },
  ])
    expect((await get(profileImagePath(image))).status).toBe(404);
  for (const name of ['0/avatar', '7/other', '7%2F/avatar', '%2e%2e/avatar'])
    expect((await get(`/images/v1/profiles/${name}/${'0'.repeat(32)}.webp`)).status).toBe(404);
  expect(calls).toEqual([]);
});

it.each([
  ['texture.address-refused', 404, 'picture.not-found'],
  ['service.overloaded', 503, 'service.overloaded'],
] as const)('is missing after %s', async (failure, status, code) => {
  store = () => Promise.reject(new DomainError(problems[failure], 'Internal.'));
  const reply = await get(profileImagePath(avatar));
  expect([reply.status, (JSON.parse(reply.body) as { code: string }).code]).toEqual([status, code]);
});
