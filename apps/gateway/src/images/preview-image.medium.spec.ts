import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { type PreviewImage, previewKey, previewUrl, problems } from '#contracts';
import { DomainError } from '#kernel';
import { type BlobStore, openBlobStore } from '#storage';
import { GatewayStack } from '../testing/gateway-stack.js';

const secret = 'a secret that is long enough for a key';
const bytes = randomBytes(2_000);
const hash = 'd'.repeat(64);

let stack: GatewayStack;
let origin: string;
let blobs: BlobStore;
let rendered: PreviewImage[];
let render: (image: PreviewImage) => unknown;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'previews.render': async (image: PreviewImage) => {
      rendered.push(image);
      await render(image);
      return { key: previewKey(image) };
    },
  });
  origin = await stack.gateway({ IMAGES_CDN_URL: 'https://cdn.example.com' });
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());
beforeEach(async () => {
  await blobs.deletePrefix('drawn');
  rendered = [];
  render = (image) => blobs.put(previewKey(image), bytes);
});

const now = (): number => Math.floor(Date.now() / 1_000);
const preview = (fields: Partial<PreviewImage> = {}): PreviewImage => ({
  itemName: 'mug',
  angle: 'front',
  rgb: '#ffffff',
  side: 500,
  place: 'front',
  resizeMode: 'contain',
  texture: { hash, key: `preview-textures/1/1.${hash}`, width: 200, height: 100 },
  placed: null,
  oneOfMany: true,
  expiresAt: now() + 3_600,
  sweepAt: now() + 3_700,
  ...fields,
});
const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers, redirect: 'manual' });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
};
const codeOf = ({ body }: { readonly body: Buffer }) => (JSON.parse(body.toString()) as { code: string }).code;

describe('a preview', () => {
  it('is rendered on its first request, and read from the store later', async () => {
    const image = preview();
    const url = previewUrl(origin, image, secret);
    for (let time = 0; time < 2; time++) {
      const { status, headers, body } = await get(url);
      expect([status, headers.get('content-type'), body.equals(bytes)]).toEqual([200, 'image/webp', true]);
      const [, age] = /^private, max-age=(\d+), immutable$/.exec(headers.get('cache-control')!)!;
      expect(Number(age)).toBeGreaterThan(3_500);
      expect(Number(age)).toBeLessThanOrEqual(3_600);
      expect((await get(url, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    }
    expect(rendered).toEqual([image]);
  });

  it('is 410 once it has expired, even if its image is stored', async () => {
    const image = preview({ expiresAt: now() - 1 });
    await blobs.put(previewKey(image), bytes);
    const response = await get(previewUrl(origin, image, secret));
    expect([response.status, codeOf(response), rendered]).toEqual([410, 'preview.expired', []]);
  });

  it('is 404 with another signature, also after its expiry', async () => {
    const url = previewUrl(origin, preview(), secret);
    const other = new URL(previewUrl(origin, preview({ itemName: 'hoodie' }), secret));
    const forged = preview({ expiresAt: now() - 1 });
    for (const wrong of [
      url.replace(/h=.*/, ''),
      url.replace(/h=.*/, 'h=x'),
      `${url}&h=x`,
      url.replace('.webp', '.png'),
      `${origin}${other.pathname}${new URL(url).search}`,
      previewUrl(origin, forged, 'another secret that is long enough'),
      `${origin}/images/v1/previews/${'x'.repeat(5_000)}.webp?h=x`,
    ]) {
      const response = await get(wrong);
      expect([wrong, response.status, codeOf(response)]).toEqual([wrong, 404, 'picture.not-found']);
    }
    expect(rendered).toEqual([]);
  });

  it.each([
    ['service.overloaded', 503, 'service.overloaded', '2'],
    ['service.no-answer', 503, 'service.overloaded', '2'],
    ['picture.not-found', 404, 'picture.not-found', null],
  ] as const)('that is not rendered (%s) is %d', async (thrown, status, code, retryAfter) => {
    render = () => Promise.reject(new DomainError(problems[thrown], 'failed'));
    const response = await get(previewUrl(origin, preview(), secret));
    expect([response.status, codeOf(response), response.headers.get('retry-after')]).toEqual([
      status,
      code,
      retryAfter,
    ]);
  });
});
