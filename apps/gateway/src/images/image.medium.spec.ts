import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { deferred } from '#concurrency';
import {
  blankKey,
  onDemandKey,
  evictedFolders,
  imagePath,
  imageUrl,
  parseImagePath,
  imageKey,
  type ImageFormat,
  type ImageRequest,
  problems,
  signAdjustment,
  signDraft,
  signFilePath,
  maxUsedKeys,
} from '#contracts';
import { DomainError } from '#kernel';
import { type BlobStore, openBlobStore } from '#storage';
import { eventually, s3Error, testRedisUrl, TestS3 } from '#testing';
import { GatewayStack, send } from '../testing/gateway-stack.js';
import { ImageUseBatcher } from './image-use.batcher.js';

const secret = 'a secret that is long enough for a key';
const filePath = '12/1763629200-200x200.png';
const bytes = randomBytes(5_000);
const perResponseHeaders = ['date', 'x-request-id', 'connection', 'keep-alive'];
const foreverCached = 'public, max-age=31536000, immutable, s-maxage=3600';

let stack: GatewayStack;
let url: string;
let blobs: BlobStore;
/** Behaviour of the fake renderer for a request, before it replies with the key. */
let render: (image: ImageRequest) => unknown;
let renderRequests: ImageRequest[];
/** Key in the reply of the renderer. */
let currentKey: (image: ImageRequest) => string;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'images.render': async (image: ImageRequest) => {
      renderRequests.push(image);
      await render(image);
      return { key: currentKey(image) };
    },
  });
  url = await stack.gateway();
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());

beforeEach(async () => {
  await blobs.deletePrefix('images');
  for (const folder of evictedFolders) await blobs.deletePrefix(folder);
  renderRequests = [];
  currentKey = keyOf;
  render = store;
});

const keyOf = (image: ImageRequest) => (image.adjustment === null ? imageKey : onDemandKey)(image);
const store = (image: ImageRequest) => blobs.put(keyOf(image), bytes);

interface ImageOptions {
  readonly color?: string;
  readonly format?: ImageFormat;
  readonly side?: number;
  readonly revision?: number;
}

/** Returns an image URL, signed as by catalog. */
const signedUrl = ({ color = 'white', format = 'webp', side = 323, revision = 0 }: ImageOptions = {}): string => {
  const hash = signFilePath(filePath, secret);
  const target = { base: url, itemName: 'mug', filePath, hash, width: side, height: side, size: 'one', color };
  return imageUrl({ ...target, angle: 'front', format, revision });
};

const adjusted = (adjustment: string): string => {
  const hash = signAdjustment(signFilePath(filePath, secret), adjustment);
  return signedUrl().replace('.webp', `.${adjustment}.webp`).replace(/h=\w+/, `h=${hash}`);
};

interface FetchedImage {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function get(at: string, headers: Record<string, string> = {}, method = 'GET'): Promise<FetchedImage> {
  const response = await fetch(at, { method, headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

async function getTimed(at: string): Promise<{ response: FetchedImage; ms: number }> {
  const startedAt = performance.now();
  return { response: await get(at), ms: performance.now() - startedAt };
}

/** Returns the number of bytes that this process has read, from files and connections. */
const readBytes = async (): Promise<number> =>
  Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))![1]);

const problemIn = ({ body }: FetchedImage) => JSON.parse(body.toString()) as { code: string; detail: string };

describe('an image', () => {
  it('is rendered for the first request and read from the store for later ones', async () => {
    for (let time = 0; time < 3; time++) expect((await get(signedUrl())).body.equals(bytes)).toBe(true);
    expect(renderRequests).toHaveLength(1);
    expect(renderRequests[0]).toEqual(parseImagePath(new URL(signedUrl()).pathname.slice(imagePath.length + 1)));
  });

  it('that was rendered on request is served from the store as immutable, and its use is recorded in a batch', async () => {
    const named = parseImagePath(new URL(signedUrl()).pathname.slice(imagePath.length + 1))!;
    await blobs.put(onDemandKey(named), bytes);
    const used = new Promise<string[]>((resolve) => {
      stack.handlers['images.used'] = ({ keys }: { keys: string[] }) => (resolve(keys), null);
    });
    const { body, headers } = await get(signedUrl());
    expect([body.equals(bytes), headers.get('cache-control'), renderRequests.length]).toEqual([true, foreverCached, 0]);
    const uses = stack.apps[0]!.get(ImageUseBatcher);
    uses.record(imageKey(named));
    for (let revision = 1; revision < maxUsedKeys; revision += 1) uses.record(onDemandKey({ ...named, revision }));
    const keys = await used;
    expect([keys.length, keys[0]]).toEqual([maxUsedKeys, onDemandKey(named)]);
  });

  it('without a print is one blob for all materials, whose visibility is checked for each request', async () => {
    const blank = (file: string) =>
      signedUrl()
        .replace(filePath, file)
        .replace(/h=.*$/, `h=${signFilePath(file, secret)}&printed=false`);
    render = (image) => blobs.put(blankKey(image), bytes);
    currentKey = blankKey;
    const other = '13/1763629200-300x300.png';
    for (const file of [filePath, other]) {
      const { body, headers } = await get(blank(file));
      expect([body.equals(bytes), headers.get('cache-control')]).toEqual([true, foreverCached]);
    }
    const stored = [];
    for (const folder of ['images', ...evictedFolders]) for await (const key of blobs.list(folder)) stored.push(key);
    expect(stored).toEqual(['blanks/mug/323x323/white/front.webp']);
    render = () => Promise.reject(new DomainError(problems['picture.not-found'], 'deleted'));
    expect((await get(blank(other))).status).toBe(404);
  });

  it.each([
    ['webp', 'image/webp'],
    ['jpg', 'image/jpeg'],
    ['png', 'image/png'],
    ['avif', 'image/avif'],
  ] as const)('is immutable for caches, and never compressed: %s', async (format, type) => {
    const { status, headers } = await get(signedUrl({ format }), { 'accept-encoding': 'br, gzip' });
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, foreverCached]);
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null]);
    expect([headers.get('content-length'), headers.get('accept-ranges')]).toEqual(['5000', 'bytes']);
    expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
  });

  it('expires in a CDN after an hour, or as configured, and has a cache tag of its material for purges', async () => {
    const other = await stack.gateway({ IMAGE_SHARED_CACHE_SECONDS: '60' });
    const { headers } = await get(signedUrl().replace(url, other));
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable, s-maxage=60');
    expect([headers.get('cache-tag'), headers.get('surrogate-key')]).toEqual(['material-12', 'material-12']);
    const again = await get(signedUrl(), { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.headers.get('cache-control'), again.headers.get('cache-tag')]).toEqual([
      ...[304, foreverCached, 'material-12'],
    ]);
  });

  it('has the same headers for HEAD as for GET, also if HEAD has it rendered', async () => {
    const head = await get(signedUrl(), {}, 'HEAD');
    const whole = await get(signedUrl());
    expect([head.status, head.body.length, renderRequests.length]).toEqual([200, 0, 1]);
    const named = (headers: Headers) =>
      Object.fromEntries([...headers].filter(([name]) => !perResponseHeaders.includes(name)));
    expect(named(head.headers)).toEqual(named(whole.headers));
    expect((await get(signedUrl(), { range: 'bytes=0-9' }, 'HEAD')).headers.get('content-length')).toBe('5000');
  });

  it('returns 304 to a client that has it cached', async () => {
    const etag = (await get(signedUrl())).headers.get('etag')!;
    for (const [method, others] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { range: 'bytes=0-9' }],
      ['GET', { range: 'bytes=6000-', 'if-range': etag }],
    ] as const) {
      const { status, headers, body } = await get(signedUrl(), { 'if-none-match': `"x", ${etag}`, ...others }, method);
      expect([status, body.length, headers.get('etag')]).toEqual([304, 0, etag]);
      expect([headers.get('cache-control'), headers.get('content-range')]).toEqual([foreverCached, null]);
    }
  });

  it('is not read for a client that has it cached', async () => {
    render = (image) => blobs.put(imageKey(image), Buffer.alloc(4_000_000));
    const etag = (await get(signedUrl())).headers.get('etag')!;
    const before = await readBytes();
    for (let time = 0; time < 10; time++) expect((await get(signedUrl(), { 'if-none-match': etag })).status).toBe(304);
    expect((await readBytes()) - before).toBeLessThan(4_000_000);
  });

  it.each(['POST', 'PUT', 'DELETE'])('returns 405 for %s, also at a malformed image URL', async (method) => {
    for (const at of [signedUrl(), `${url}${imagePath}/nonsense`]) {
      const response = await get(at, {}, method);
      expect([response.status, problemIn(response).code]).toEqual([405, 'request.method-not-allowed']);
      expect([response.headers.get('allow'), response.headers.get('cache-control')]).toEqual(['GET, HEAD', 'no-store']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(renderRequests).toEqual([]);
  });

  it('has another entity tag when it is rendered again', async () => {
    const etag = (await get(signedUrl())).headers.get('etag')!;
    await blobs.put(imageKey(renderRequests[0]!), randomBytes(5_000));
    const again = await get(signedUrl(), { 'if-none-match': etag, range: 'bytes=0-9', 'if-range': etag });
    expect([again.status, again.body.length]).toEqual([200, 5_000]);
    expect(again.headers.get('etag')).not.toBe(etag);
  });
});

describe('the revision in an image URL', () => {
  const named = async (at: string) => {
    const { status, headers, body } = await get(at);
    return [status, headers.get('cache-control'), body.toString()];
  };

  it('is rendered: an image of an older revision is not served for a newer one', async () => {
    await store(parseImagePath(new URL(signedUrl()).pathname.slice(imagePath.length + 1))!);
    render = (image) => blobs.put(imageKey(image), Buffer.from('new'));
    for (let time = 0; time < 2; time++)
      expect(await named(signedUrl({ revision: 1 }))).toEqual([200, foreverCached, 'new']);
    expect(renderRequests.map(({ revision }) => revision)).toEqual([1]);
    expect((await get(signedUrl())).body.equals(bytes)).toBe(true);
  });

  it.each([
    ['', undefined],
    ['&v=1', 1],
    ['&v=999999999', 999_999_999],
  ])('that is not current returns the current image, cacheable for a minute: %s', async (v, revision) => {
    currentKey = (image) => imageKey({ ...image, revision: 2 });
    render = (image) => blobs.put(imageKey({ ...image, revision: 2 }), Buffer.from('current'));
    for (let time = 0; time < 2; time++)
      expect(await named(`${signedUrl()}${v}`)).toEqual([200, 'public, max-age=60', 'current']);
    expect(renderRequests.map((it) => it.revision)).toEqual([revision ?? 0, revision ?? 0]);
    const { headers } = await get(`${signedUrl()}${v}`, { range: 'bytes=0-1' });
    expect([headers.get('content-range'), headers.get('cache-control')]).toEqual(['bytes 0-1/7', 'public, max-age=60']);
  });

  it.each(['v=', 'v=0', 'v=01', 'v=-1', 'v=1e3', 'v=1&v=2', 'v[]=1', 'v=9999999999'])(
    'is ignored if not in canonical form: %s',
    async (v) => {
      expect((await get(`${signedUrl()}&${v}`)).status).toBe(200);
      expect(renderRequests.map(({ revision }) => revision)).toEqual([0]);
    },
  );
});

describe('a soft proof', () => {
  const keyOfProof = (image: ImageRequest) => (image.proof ? onDemandKey : imageKey)(image);
  beforeEach(() => {
    currentKey = keyOfProof;
    render = (image) => blobs.put(keyOfProof(image), Buffer.from(image.proof ? 'printed' : 'plain'));
  });

  it('is another image than the one without, and immutable with its revision and cache tag', async () => {
    for (const query of ['', '&proof=true', '&proof=false', '&proof=true']) {
      const { headers, body } = await get(`${signedUrl({ revision: 3 })}${query}`);
      expect(body.toString()).toBe(query === '&proof=true' ? 'printed' : 'plain');
      expect([headers.get('cache-control'), headers.get('cache-tag')]).toEqual([foreverCached, 'material-12']);
    }
    expect(renderRequests.map(({ proof, revision }) => [proof, revision])).toEqual([
      [false, 3],
      [true, 3],
    ]);
    const keys = [];
    for (const folder of ['images', ...evictedFolders]) for await (const key of blobs.list(folder)) keys.push(key);
    expect(keys.sort()).toEqual([
      `drawn/${filePath}/mug/3/323x323/white/front.proof.webp`,
      `images/${filePath}/mug/3/323x323/white/front.printed.webp`,
    ]);
  });

  it('is signed as the image without', async () => {
    expect((await get(`${signedUrl()}&proof=true`.replace(/h=[^&]+/, 'h=x'))).status).toBe(404);
    const at = adjusted('0.5+0.0+0.0');
    currentKey = onDemandKey;
    render = (image) => blobs.put(onDemandKey(image), bytes);
    expect((await get(`${at}&proof=true`)).status).toBe(200);
    expect(renderRequests).toMatchObject([{ proof: true, adjustment: '0.5+0.0+0.0' }]);
  });

  it.each(['proof=', 'proof=1', 'proof=TRUE', 'proof=true&proof=true', 'proof=true&proof=false'])(
    'is not returned, nor an image in other colors, for another value: %s',
    async (query) => {
      const response = await get(`${signedUrl()}&${query}`);
      expect([response.status, problemIn(response).code]).toEqual([404, 'picture.not-found']);
      expect(renderRequests).toEqual([]);
    },
  );

  it('that a renderer of the previous version returns without printed colors is cached for a minute', async () => {
    currentKey = (image) => imageKey({ ...image, proof: false });
    render = (image) => blobs.put(imageKey({ ...image, proof: false }), bytes);
    const { status, headers } = await get(`${signedUrl()}&proof=true`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
  });
});

describe('the signature of a draft', () => {
  const signedBy = (hash: string) => signedUrl().replace(/h=\w+/, `h=${hash}`);
  const draft = signDraft(filePath, 'mug', secret);

  it('gives access to images of the draft, and the signature of the material does not', async () => {
    expect((await get(signedBy(draft))).body.equals(bytes)).toBe(true);
    expect((await get(signedBy(draft))).headers.get('cache-control')).toBe(foreverCached);
    expect(renderRequests.map((it) => it.draft)).toEqual([true]);
    render = () => Promise.reject(new DomainError(problems['picture.not-found'], 'unpublished'));
    const { status, headers } = await get(signedUrl());
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(renderRequests.map((it) => it.draft)).toEqual([true, false]);
  });

  it('is valid for its item only, and adjustments are signed with it', async () => {
    expect((await get(signedBy(signDraft(filePath, 'note', secret)))).status).toBe(404);
    expect(renderRequests).toEqual([]);
    const adjustment = '0.5+0.0+0.0';
    const at = adjusted(adjustment).replace(/h=\w+/, `h=${signAdjustment(draft, adjustment)}`);
    expect((await get(at)).status).toBe(200);
    expect(renderRequests).toMatchObject([{ draft: true, adjustment }]);
  });
});

describe('a byte range of an image', () => {
  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=4900-', 4_900, 4_999],
    ['bytes=-9000', 0, 4_999],
  ])('is sent as 206: %s', async (range, start, end) => {
    const { status, headers, body } = await get(signedUrl(), { range, 'accept-encoding': 'br' });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/5000`]);
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
    expect([headers.get('content-length'), headers.get('content-type')]).toEqual([String(body.length), 'image/webp']);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual([foreverCached, expect.any(String)]);
  });

  it('completes another range of the same image, and not of a changed one', async () => {
    const first = await get(signedUrl(), { range: 'bytes=0-2499' });
    const rest = { range: 'bytes=2500-', 'if-range': first.headers.get('etag')! };
    const second = await get(signedUrl(), rest);
    expect(Buffer.concat([first.body, second.body]).equals(bytes)).toBe(true);
    await blobs.put(imageKey(renderRequests[0]!), randomBytes(5_000));
    expect((await get(signedUrl(), rest)).status).toBe(200);
  });

  it('that is not satisfiable is rejected with the size', async () => {
    const response = await get(signedUrl(), { range: 'bytes=5000-' });
    expect([response.status, problemIn(response).code]).toEqual([416, 'request.range-not-satisfiable']);
    expect(response.headers.get('content-range')).toBe('bytes */5000');
    expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual(['no-store', null]);
  });

  it('with several parts returns the complete image', async () => {
    const { status, body } = await get(signedUrl(), { range: 'bytes=0-9,20-29' });
    expect([status, body.length]).toEqual([200, 5_000]);
  });
});

describe('a page of another origin', () => {
  const readable = (headers: Headers) =>
    ['etag', 'content-range', 'retry-after'].map((name) =>
      headers.get('access-control-expose-headers')?.toLowerCase().includes(name),
    );

  it('may read every response for an image', async () => {
    const etag = (await get(signedUrl())).headers.get('etag')!;
    const responses = await Promise.all([
      get(signedUrl()),
      get(signedUrl(), {}, 'HEAD'),
      get(signedUrl(), { range: 'bytes=0-9' }),
      get(signedUrl(), { 'if-none-match': etag }),
      get(signedUrl(), { range: 'bytes=5000-' }),
      get(signedUrl({ side: 324 })),
      get(`${url}${imagePath}/nonsense`),
      get(`${url}${imagePath}/%zz`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 206, 304, 416, 404, 404, 400]);
    for (const { headers } of responses) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(readable(headers)).toEqual([true, true, true]);
    }
  });

  it('may request byte ranges', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    };
    const response = await send('OPTIONS', signedUrl(), { headers });
    expect([response.status, response.body]).toEqual([204, '']);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(response.headers.get('access-control-allow-headers')).toContain('Range');
    expect(renderRequests).toEqual([]);
  });
});

describe('an image in a bucket', () => {
  let s3: TestS3;
  let at: string;
  let bucket: BlobStore;

  beforeAll(async () => {
    s3 = await TestS3.start();
    bucket = openBlobStore(s3.url, s3.credentials);
    const other = await stack.gateway({ BLOB_STORE_URL: s3.url, ...s3.credentials });
    at = signedUrl().replace(url, other);
  });
  afterAll(() => s3.close());
  beforeEach(async () => {
    s3.fault = () => false;
    await bucket.deletePrefix('images');
    render = (image) => bucket.put(imageKey(image), bytes);
  });

  it('is rendered once, and served as from a folder', async () => {
    const whole = await get(at);
    const part = await get(at, { range: 'bytes=0-99' });
    s3.requests.length = 0;
    const same = await get(at, { 'if-none-match': whole.headers.get('etag')! });
    expect(s3.requests.map((line) => line.split(' ')[0])).toEqual(['HEAD']);
    expect([whole.status, part.status, same.status, renderRequests.length]).toEqual([200, 206, 304, 1]);
    expect([whole.body.equals(bytes), part.body.equals(bytes.subarray(0, 100))]).toEqual([true, true]);
    expect([whole.headers.get('content-type'), whole.headers.get('cache-control')]).toEqual([
      'image/webp',
      foreverCached,
    ]);
  });

  it('that is unavailable returns 503 with Retry-After and no-store', async () => {
    s3.fault = (_, response) => s3Error(response, 503, 'SlowDown');
    const response = await get(at);
    expect([response.status, problemIn(response).code]).toEqual([503, 'service.unavailable']);
    expect([response.headers.get('retry-after'), response.headers.get('cache-control')]).toEqual(['5', 'no-store']);
    expect(renderRequests).toEqual([]);
  });
});

describe('an image with a CDN', () => {
  const cdn = 'https://cdn.example.com/shop';
  let origin: string;

  beforeAll(async () => {
    origin = await stack.gateway({ IMAGES_CDN_URL: `${cdn}/` });
  });

  const redirected = (of: string, method = 'GET') => fetch(of, { method, redirect: 'manual' });

  it.each(['GET', 'HEAD'])('is redirected to the same path and query at the CDN: %s', async (method) => {
    const at = `${signedUrl().replace(url, origin)}&v=3&proof=true`;
    const { status, headers } = await redirected(at, method);
    expect([status, headers.get('location')]).toEqual([307, `${at.replace(origin, cdn)}&cdn=1`]);
    expect([headers.get('cache-control'), headers.get('cache-tag')]).toEqual(['public, max-age=3600', 'material-12']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(renderRequests).toEqual([]);
  });

  it('is served at the redirected URL without special request headers', async () => {
    const { headers } = await redirected(signedUrl().replace(url, origin));
    const response = await get(headers.get('location')!.replace(cdn, origin));
    expect([response.status, response.body.equals(bytes), response.headers.get('cache-control')]).toEqual([
      ...[200, true, foreverCached],
    ]);
  });

  it('is redirected once, also if the CDN is the gateway itself', async () => {
    const port = new URL(origin).port;
    const itself = await stack.gateway({ IMAGES_CDN_URL: `http://127.0.0.1:${port}` });
    const first = await redirected(signedUrl().replace(url, itself));
    const loop = first.headers.get('location')!.replace(origin, itself);
    expect((await redirected(loop)).status).toBe(200);
  });

  it('is not redirected without a valid signature', async () => {
    for (const invalid of [
      signedUrl({ side: 324 }),
      signedUrl().replace(/h=\w+/, 'h=x'),
      `${url}${imagePath}/nonsense`,
    ]) {
      const { status, headers } = await redirected(invalid.replace(url, origin));
      expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([404, null, 'no-store']);
    }
  });

  it('is allowed by the content security policy of pages', async () => {
    const policies = await Promise.all(
      [url, origin].map(async (at) => (await fetch(`${at}/sign-in`)).headers.get('content-security-policy')),
    );
    expect(policies[0]).toContain("img-src 'self' data: https://shop.example.com;");
    expect(policies[1]).toContain("img-src 'self' data: https://shop.example.com https://cdn.example.com;");
  });
});

describe('a missing image', () => {
  const failWith = (code: 'service.no-answer' | 'service.unavailable' | 'service.overloaded') => () => {
    throw new DomainError(problems[code], 'material-rendering: something internal');
  };

  it.each([
    ['service.no-answer', 'service.overloaded'],
    ['service.overloaded', 'service.overloaded'],
    ['service.unavailable', 'service.unavailable'],
  ] as const)('can be retried: %s is returned as %s', async (thrown, code) => {
    render = failWith(thrown);
    const response = await get(signedUrl());
    expect([response.status, problemIn(response).code]).toEqual([503, code]);
    expect(problemIn(response).detail).toBe('The image is not rendered yet; retry later.');
    expect([response.headers.get('retry-after'), response.headers.get('cache-control')]).toEqual(['2', 'no-store']);
    render = store;
    expect((await get(signedUrl())).status).toBe(200);
  });

  it('has no-store in its 404 and 500 responses', async () => {
    render = () => {
      throw new DomainError(problems['picture.not-found'], 'the material has no such image');
    };
    const unknown = await get(signedUrl());
    render = () => {
      throw new Error('broken');
    };
    const broken = await get(signedUrl());
    const unsigned = await get(signedUrl().replace(/h=\w+/, 'h=x'));
    expect([unknown, broken, unsigned].map(({ status }) => status)).toEqual([404, 500, 404]);
    for (const { headers } of [unknown, broken, unsigned]) expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is rendered up to three times if it is deleted before it is read, then 404', async () => {
    render = (image) => (renderRequests.length < 3 ? undefined : store(image));
    expect((await get(signedUrl())).status).toBe(200);
    expect(renderRequests).toHaveLength(3);
    render = () => undefined;
    expect((await get(signedUrl({ color: 'black' }))).status).toBe(404);
  });

  it('returns 503 within 10 s if the renderer is stuck and many requests wait, and is available later', async () => {
    const { promise: released, resolve: release } = deferred();
    const stored = new Set<string>();
    const storeLater = async (image: ImageRequest) => {
      await released;
      await store(image);
      stored.add(imageKey(image));
    };
    // The first attempt takes 8 s and stores nothing, as if the image were deleted: the second
    // attempt has 2 s, not 10
    render = (image) => (renderRequests.length === 1 ? sleep(8_000) : storeLater(image));
    const first = getTimed(signedUrl());
    await eventually('the first render request', () => renderRequests.length === 1);
    // More requests than the renderer processes concurrently, so that many wait in the queue
    const others = Array.from({ length: 150 }, (_, n) => adjusted(`1.0+0.${n}-0.1`));
    for (const { response, ms } of await Promise.all([first, ...others.map(getTimed)])) {
      const { status, headers } = response;
      expect([status, problemIn(response).code, headers.get('retry-after')]).toEqual([503, 'service.overloaded', '2']);
      expect(ms).toBeLessThan(15_000);
    }
    // 63 requests get the other slots of the renderer. When the first request frees its slot after
    // 8 s, the waiting requests have waited for more than half of their timeout and are rejected:
    // the second attempt of the first request gets the slot, if it arrived in time
    const started = renderRequests.length - 1;
    expect([63, 64]).toContain(started);
    release();
    await eventually('started images are stored', () => stored.size === started);
    renderRequests = [];
    render = store;
    const again = await Promise.all([signedUrl(), ...others].map((at) => get(at)));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    // Only images that were not started before are rendered
    expect(renderRequests).toHaveLength(1 + others.length - started);
  });

  it('returns 503 before the timeout of 10 s if no renderer is running', async () => {
    const isolated = await stack.gateway({ REDIS_REQUESTS_URL: testRedisUrl() });
    const { response, ms } = await getTimed(signedUrl().replace(url, isolated));
    expect([response.status, problemIn(response).code]).toEqual([503, 'service.unavailable']);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(ms).toBeLessThan(8_000);
  });
});
