import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { deferred } from '#concurrency';
import {
  blankKey,
  drawnKey,
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
  usesAtMost,
} from '#contracts';
import { DomainError } from '#kernel';
import { type BlobStore, openBlobStore } from '#storage';
import { eventually, s3Error, testRedisUrl, TestS3 } from '#testing';
import { GatewayStack, send } from '../testing/gateway-stack.js';
import { ImageUses } from './image-use.batcher.js';

const secret = 'a secret that is long enough for a key';
const filePath = '12/1763629200-200x200.png';
const bytes = randomBytes(5_000);
const ofTheConnection = ['date', 'x-request-id', 'connection', 'keep-alive'];
const foreverCached = 'public, max-age=31536000, immutable, s-maxage=3600';

let stack: GatewayStack;
let url: string;
let blobs: BlobStore;
/** What the renderer does with a request; it answers where the image is stored. */
let render: (image: ImageRequest) => unknown;
let asked: ImageRequest[];
/** The key that the renderer answers with. */
let current: (image: ImageRequest) => string;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'images.render': async (image: ImageRequest) => {
      asked.push(image);
      await render(image);
      return { key: current(image) };
    },
  });
  url = await stack.gateway();
  blobs = openBlobStore(pathToFileURL(stack.folder).href);
});
afterAll(() => stack.close());

beforeEach(async () => {
  await blobs.deleteBelow('images');
  for (const folder of evictedFolders) await blobs.deleteBelow(folder);
  asked = [];
  current = keyOf;
  render = store;
});

const keyOf = (image: ImageRequest) => (image.adjustment === null ? imageKey : drawnKey)(image);
const store = (image: ImageRequest) => blobs.put(keyOf(image), bytes);

interface Shown {
  readonly color?: string;
  readonly format?: ImageFormat;
  readonly side?: number;
  readonly revision?: number;
}

/** The address of an image that is signed as the catalogue does. */
const address = ({ color = 'white', format = 'webp', side = 323, revision = 0 }: Shown = {}): string => {
  const hash = signFilePath(filePath, secret);
  const target = { base: url, itemName: 'mug', filePath, hash, width: side, height: side, size: 'one', color };
  return imageUrl({ ...target, angle: 'front', format, revision });
};

const adjusted = (adjustment: string): string => {
  const hash = signAdjustment(signFilePath(filePath, secret), adjustment);
  return address().replace('.webp', `.${adjustment}.webp`).replace(/h=\w+/, `h=${hash}`);
};

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function get(at: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const answer = await fetch(at, { method, headers });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

async function timed(at: string): Promise<{ answer: Got; ms: number }> {
  const startedAt = performance.now();
  return { answer: await get(at), ms: performance.now() - startedAt };
}

/** What this process has read so far, of files and connections. */
const bytesRead = async (): Promise<number> =>
  Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))![1]);

const problemOf = ({ body }: Got) => JSON.parse(body.toString()) as { code: string; detail: string };

describe('an image', () => {
  it('is drawn by the first request and read from the store by the others', async () => {
    for (let time = 0; time < 3; time++) expect((await get(address())).body.equals(bytes)).toBe(true);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toEqual(parseImagePath(new URL(address()).pathname.slice(imagePath.length + 1)));
  });

  it('that a client had drawn is read from the store, for ever, and noted as used with others', async () => {
    const named = parseImagePath(new URL(address()).pathname.slice(imagePath.length + 1))!;
    await blobs.put(drawnKey(named), bytes);
    const used = new Promise<string[]>((resolve) => {
      stack.answers['images.used'] = ({ keys }: { keys: string[] }) => (resolve(keys), null);
    });
    const { body, headers } = await get(address());
    expect([body.equals(bytes), headers.get('cache-control'), asked.length]).toEqual([true, foreverCached, 0]);
    const uses = stack.apps[0]!.get(ImageUses);
    uses.note(imageKey(named));
    for (let revision = 1; revision < usesAtMost; revision += 1) uses.note(drawnKey({ ...named, revision }));
    const keys = await used;
    expect([keys.length, keys[0]]).toEqual([usesAtMost, drawnKey(named)]);
  });

  it('without a print is one blob for all materials, and asked for each time whether it may be seen', async () => {
    const blank = (file: string) =>
      address()
        .replace(filePath, file)
        .replace(/h=.*$/, `h=${signFilePath(file, secret)}&printed=false`);
    render = (image) => blobs.put(blankKey(image), bytes);
    current = blankKey;
    const other = '13/1763629200-300x300.png';
    for (const file of [filePath, other]) {
      const { body, headers } = await get(blank(file));
      expect([body.equals(bytes), headers.get('cache-control')]).toEqual([true, foreverCached]);
    }
    const stored = [];
    for (const folder of ['images', ...evictedFolders]) for await (const key of blobs.below(folder)) stored.push(key);
    expect(stored).toEqual(['blanks/mug/323x323/white/front.webp']);
    render = () => Promise.reject(new DomainError(problems['picture.not-found'], 'deleted'));
    expect((await get(blank(other))).status).toBe(404);
  });

  it.each([
    ['webp', 'image/webp'],
    ['jpg', 'image/jpeg'],
    ['png', 'image/png'],
    ['avif', 'image/avif'],
  ] as const)('may be kept for ever, and is never compressed: %s', async (format, type) => {
    const { status, headers } = await get(address({ format }), { 'accept-encoding': 'br, gzip' });
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, foreverCached]);
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null]);
    expect([headers.get('content-length'), headers.get('accept-ranges')]).toEqual(['5000', 'bytes']);
    expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
  });

  it('is asked for again by a CDN after an hour, or as an operator sets it, and is named by its material for a purge', async () => {
    const other = await stack.gateway({ IMAGE_SHARED_CACHE_SECONDS: '60' });
    const { headers } = await get(address().replace(url, other));
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable, s-maxage=60');
    expect([headers.get('cache-tag'), headers.get('surrogate-key')]).toEqual(['material-12', 'material-12']);
    const again = await get(address(), { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.headers.get('cache-control'), again.headers.get('cache-tag')]).toEqual([
      ...[304, foreverCached, 'material-12'],
    ]);
  });

  it('has the same headers for HEAD as for GET, also when it has to be drawn for it', async () => {
    const head = await get(address(), {}, 'HEAD');
    const whole = await get(address());
    expect([head.status, head.body.length, asked.length]).toEqual([200, 0, 1]);
    const named = (headers: Headers) =>
      Object.fromEntries([...headers].filter(([name]) => !ofTheConnection.includes(name)));
    expect(named(head.headers)).toEqual(named(whole.headers));
    expect((await get(address(), { range: 'bytes=0-9' }, 'HEAD')).headers.get('content-length')).toBe('5000');
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await get(address())).headers.get('etag')!;
    for (const [method, others] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { range: 'bytes=0-9' }],
      ['GET', { range: 'bytes=6000-', 'if-range': etag }],
    ] as const) {
      const { status, headers, body } = await get(address(), { 'if-none-match': `"x", ${etag}`, ...others }, method);
      expect([status, body.length, headers.get('etag')]).toEqual([304, 0, etag]);
      expect([headers.get('cache-control'), headers.get('content-range')]).toEqual([foreverCached, null]);
    }
  });

  it('is not read again for a client that has it', async () => {
    render = (image) => blobs.put(imageKey(image), Buffer.alloc(4_000_000));
    const etag = (await get(address())).headers.get('etag')!;
    const before = await bytesRead();
    for (let time = 0; time < 10; time++) expect((await get(address(), { 'if-none-match': etag })).status).toBe(304);
    expect((await bytesRead()) - before).toBeLessThan(4_000_000);
  });

  it.each(['POST', 'PUT', 'DELETE'])('knows no %s, nor does an address without an image', async (method) => {
    for (const at of [address(), `${url}${imagePath}/nonsense`]) {
      const answer = await get(at, {}, method);
      expect([answer.status, problemOf(answer).code]).toEqual([405, 'request.method-not-allowed']);
      expect([answer.headers.get('allow'), answer.headers.get('cache-control')]).toEqual(['GET, HEAD', 'no-store']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(asked).toEqual([]);
  });

  it('has another tag when it was drawn anew', async () => {
    const etag = (await get(address())).headers.get('etag')!;
    await blobs.put(imageKey(asked[0]!), randomBytes(5_000));
    const again = await get(address(), { 'if-none-match': etag, range: 'bytes=0-9', 'if-range': etag });
    expect([again.status, again.body.length]).toEqual([200, 5_000]);
    expect(again.headers.get('etag')).not.toBe(etag);
  });
});

describe('the revision in an address', () => {
  const named = async (at: string) => {
    const { status, headers, body } = await get(at);
    return [status, headers.get('cache-control'), body.toString()];
  };

  it('is asked for: an image of an older one is not answered under the new address', async () => {
    await store(parseImagePath(new URL(address()).pathname.slice(imagePath.length + 1))!);
    render = (image) => blobs.put(imageKey(image), Buffer.from('new'));
    for (let time = 0; time < 2; time++)
      expect(await named(address({ revision: 1 }))).toEqual([200, foreverCached, 'new']);
    expect(asked.map(({ revision }) => revision)).toEqual([1]);
    expect((await get(address())).body.equals(bytes)).toBe(true);
  });

  it.each([
    ['', undefined],
    ['&v=1', 1],
    ['&v=999999999', 999_999_999],
  ])('that is not the current one is answered with the current image, for a minute: %s', async (v, revision) => {
    current = (image) => imageKey({ ...image, revision: 2 });
    render = (image) => blobs.put(imageKey({ ...image, revision: 2 }), Buffer.from('current'));
    for (let time = 0; time < 2; time++)
      expect(await named(`${address()}${v}`)).toEqual([200, 'public, max-age=60', 'current']);
    expect(asked.map((it) => it.revision)).toEqual([revision ?? 0, revision ?? 0]);
    const { headers } = await get(`${address()}${v}`, { range: 'bytes=0-1' });
    expect([headers.get('content-range'), headers.get('cache-control')]).toEqual(['bytes 0-1/7', 'public, max-age=60']);
  });

  it.each(['v=', 'v=0', 'v=01', 'v=-1', 'v=1e3', 'v=1&v=2', 'v[]=1', 'v=9999999999'])(
    'is none when it is not written as the API writes it: %s',
    async (v) => {
      expect((await get(`${address()}&${v}`)).status).toBe(200);
      expect(asked.map(({ revision }) => revision)).toEqual([0]);
    },
  );
});

describe('the signature of a draft', () => {
  const signedBy = (hash: string) => address().replace(/h=\w+/, `h=${hash}`);
  const draft = signDraft(filePath, 'mug', secret);

  it('leads to the images of the draft, which the signature of the material does not', async () => {
    expect((await get(signedBy(draft))).body.equals(bytes)).toBe(true);
    expect((await get(signedBy(draft))).headers.get('cache-control')).toBe(foreverCached);
    expect(asked.map((it) => it.draft)).toEqual([true]);
    render = () => Promise.reject(new DomainError(problems['picture.not-found'], 'unpublished'));
    const { status, headers } = await get(address());
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(asked.map((it) => it.draft)).toEqual([true, false]);
  });

  it('is of its item alone, and an adjusted one is derived from it', async () => {
    expect((await get(signedBy(signDraft(filePath, 'note', secret)))).status).toBe(404);
    expect(asked).toEqual([]);
    const adjustment = '0.5+0.0+0.0';
    const at = adjusted(adjustment).replace(/h=\w+/, `h=${signAdjustment(draft, adjustment)}`);
    expect((await get(at)).status).toBe(200);
    expect(asked).toMatchObject([{ draft: true, adjustment }]);
  });
});

describe('a part of an image', () => {
  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=4900-', 4_900, 4_999],
    ['bytes=-9000', 0, 4_999],
  ])('is sent alone: %s', async (range, start, end) => {
    const { status, headers, body } = await get(address(), { range, 'accept-encoding': 'br' });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/5000`]);
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
    expect([headers.get('content-length'), headers.get('content-type')]).toEqual([String(body.length), 'image/webp']);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual([foreverCached, expect.any(String)]);
  });

  it('makes a whole with the others, as long as it is one image', async () => {
    const first = await get(address(), { range: 'bytes=0-2499' });
    const rest = { range: 'bytes=2500-', 'if-range': first.headers.get('etag')! };
    const second = await get(address(), rest);
    expect(Buffer.concat([first.body, second.body]).equals(bytes)).toBe(true);
    await blobs.put(imageKey(asked[0]!), randomBytes(5_000));
    expect((await get(address(), rest)).status).toBe(200);
  });

  it('that is not there is refused with the size', async () => {
    const answer = await get(address(), { range: 'bytes=5000-' });
    expect([answer.status, problemOf(answer).code]).toEqual([416, 'request.range-not-satisfiable']);
    expect(answer.headers.get('content-range')).toBe('bytes */5000');
    expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['no-store', null]);
  });

  it('may be many parts, which are answered as the whole', async () => {
    const { status, body } = await get(address(), { range: 'bytes=0-9,20-29' });
    expect([status, body.length]).toEqual([200, 5_000]);
  });
});

describe('a page of another origin', () => {
  const readable = (headers: Headers) =>
    ['etag', 'content-range', 'retry-after'].map((name) =>
      headers.get('access-control-expose-headers')?.toLowerCase().includes(name),
    );

  it('may read every answer about an image', async () => {
    const etag = (await get(address())).headers.get('etag')!;
    const answers = await Promise.all([
      get(address()),
      get(address(), {}, 'HEAD'),
      get(address(), { range: 'bytes=0-9' }),
      get(address(), { 'if-none-match': etag }),
      get(address(), { range: 'bytes=5000-' }),
      get(address({ side: 324 })),
      get(`${url}${imagePath}/nonsense`),
      get(`${url}${imagePath}/%zz`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 206, 304, 416, 404, 404, 400]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(readable(headers)).toEqual([true, true, true]);
    }
  });

  it('may ask for parts', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    };
    const answer = await send('OPTIONS', address(), { headers });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(answer.headers.get('access-control-allow-headers')).toContain('Range');
    expect(asked).toEqual([]);
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
    at = address().replace(url, other);
  });
  afterAll(() => s3.close());
  beforeEach(async () => {
    s3.fault = () => false;
    await bucket.deleteBelow('images');
    render = (image) => bucket.put(imageKey(image), bytes);
  });

  it('is drawn once, and answered as from a folder', async () => {
    const whole = await get(at);
    const part = await get(at, { range: 'bytes=0-99' });
    s3.asked.length = 0;
    const same = await get(at, { 'if-none-match': whole.headers.get('etag')! });
    expect(s3.asked.map((line) => line.split(' ')[0])).toEqual(['HEAD']);
    expect([whole.status, part.status, same.status, asked.length]).toEqual([200, 206, 304, 1]);
    expect([whole.body.equals(bytes), part.body.equals(bytes.subarray(0, 100))]).toEqual([true, true]);
    expect([whole.headers.get('content-type'), whole.headers.get('cache-control')]).toEqual([
      'image/webp',
      foreverCached,
    ]);
  });

  it('that answers nothing now may be asked for again, and no cache keeps that', async () => {
    s3.fault = (_, response) => s3Error(response, 503, 'SlowDown');
    const answer = await get(at);
    expect([answer.status, problemOf(answer).code]).toEqual([503, 'service.unavailable']);
    expect([answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual(['5', 'no-store']);
    expect(asked).toEqual([]);
  });
});

describe('an image with a CDN before it', () => {
  const cdn = 'https://cdn.example.com/shop';
  let origin: string;

  beforeAll(async () => {
    origin = await stack.gateway({ IMAGES_CDN_URL: `${cdn}/` });
  });

  const redirected = (of: string, method = 'GET') => fetch(of, { method, redirect: 'manual' });

  it.each(['GET', 'HEAD'])('is found there, at the same path with the same query: %s', async (method) => {
    const at = `${address().replace(url, origin)}&v=3`;
    const { status, headers } = await redirected(at, method);
    expect([status, headers.get('location')]).toEqual([307, `${at.replace(origin, cdn)}&cdn=1`]);
    expect([headers.get('cache-control'), headers.get('cache-tag')]).toEqual(['public, max-age=3600', 'material-12']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(asked).toEqual([]);
  });

  it('is answered to the CDN, which needs no header for it', async () => {
    const { headers } = await redirected(address().replace(url, origin));
    const answer = await get(headers.get('location')!.replace(cdn, origin));
    expect([answer.status, answer.body.equals(bytes), answer.headers.get('cache-control')]).toEqual([
      ...[200, true, foreverCached],
    ]);
  });

  it('is redirected once, also when the CDN is the gateway itself', async () => {
    const port = new URL(origin).port;
    const itself = await stack.gateway({ IMAGES_CDN_URL: `http://127.0.0.1:${port}` });
    const first = await redirected(address().replace(url, itself));
    const loop = first.headers.get('location')!.replace(origin, itself);
    expect((await redirected(loop)).status).toBe(200);
  });

  it('sends nobody there who may not see it', async () => {
    for (const wrong of [address({ side: 324 }), address().replace(/h=\w+/, 'h=x'), `${url}${imagePath}/nonsense`]) {
      const { status, headers } = await redirected(wrong.replace(url, origin));
      expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([404, null, 'no-store']);
    }
  });

  it('may be shown on the pages', async () => {
    const policies = await Promise.all(
      [url, origin].map(async (at) => (await fetch(`${at}/sign-in`)).headers.get('content-security-policy')),
    );
    expect(policies[0]).toContain("img-src 'self' data: https://shop.example.com;");
    expect(policies[1]).toContain("img-src 'self' data: https://shop.example.com https://cdn.example.com;");
  });
});

describe('an image that is not there', () => {
  const refusedWith = (code: 'service.no-answer' | 'service.unavailable' | 'service.overloaded') => () => {
    throw new DomainError(problems[code], 'material-rendering: something internal');
  };

  it.each([
    ['service.no-answer', 'service.overloaded'],
    ['service.overloaded', 'service.overloaded'],
    ['service.unavailable', 'service.unavailable'],
  ] as const)('may be asked for again in a moment: %s is answered as %s', async (thrown, code) => {
    render = refusedWith(thrown);
    const answer = await get(address());
    expect([answer.status, problemOf(answer).code]).toEqual([503, code]);
    expect(problemOf(answer).detail).toBe('The image is not there yet; ask again in a moment.');
    expect([answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual(['2', 'no-store']);
    render = store;
    expect((await get(address())).status).toBe(200);
  });

  it('is kept by no cache: not as an error of ours, not as unknown', async () => {
    render = () => {
      throw new DomainError(problems['picture.not-found'], 'the material has no such image');
    };
    const unknown = await get(address());
    render = () => {
      throw new Error('broken');
    };
    const broken = await get(address());
    const unsigned = await get(address().replace(/h=\w+/, 'h=x'));
    expect([unknown, broken, unsigned].map(({ status }) => status)).toEqual([404, 500, 404]);
    for (const { headers } of [unknown, broken, unsigned]) expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is asked for again when it was removed before it could be read', async () => {
    render = (image) => (asked.length < 3 ? undefined : store(image));
    expect((await get(address())).status).toBe(200);
    expect(asked).toHaveLength(3);
    render = () => undefined;
    expect((await get(address({ color: 'black' }))).status).toBe(404);
  });

  it('is answered within 10 s with 503 when the renderer is stuck and its queue is full, and is there later', async () => {
    const { promise: released, resolve: release } = deferred();
    const stored = new Set<string>();
    const storeLater = async (image: ImageRequest) => {
      await released;
      await store(image);
      stored.add(imageKey(image));
    };
    // Drawn after 8 s and gone again: its second attempt has 2 s, not 10
    render = (image) => (asked.length === 1 ? sleep(8_000) : storeLater(image));
    const first = timed(address());
    await eventually('the renderer has the first one', () => asked.length === 1);
    // More than the renderer takes at once, so that many wait in the queue
    const others = Array.from({ length: 150 }, (_, n) => adjusted(`1.0+0.${n}-0.1`));
    for (const { answer, ms } of await Promise.all([first, ...others.map(timed)])) {
      const { status, headers } = answer;
      expect([status, problemOf(answer).code, headers.get('retry-after')]).toEqual([503, 'service.overloaded', '2']);
      expect(ms).toBeLessThan(15_000);
    }
    // The slots of the renderer but that of the first one. When it was free again, the rest had waited for too long: it is
    // for the second attempt of the first one, if that came in time
    const begun = asked.length - 1;
    expect([63, 64]).toContain(begun);
    release();
    await eventually('what was begun is stored', () => stored.size === begun);
    asked = [];
    render = store;
    const again = await Promise.all([address(), ...others].map((at) => get(at)));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    // Only what never left the queue is drawn
    expect(asked).toHaveLength(1 + others.length - begun);
  });

  it('is answered at once when no renderer is up', async () => {
    const alone = await stack.gateway({ REDIS_REQUESTS_URL: testRedisUrl() });
    const { answer, ms } = await timed(address().replace(url, alone));
    expect([answer.status, problemOf(answer).code]).toEqual([503, 'service.unavailable']);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(ms).toBeLessThan(8_000);
  });
});
