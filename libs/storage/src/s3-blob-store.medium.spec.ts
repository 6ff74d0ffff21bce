import { jest } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { parseS3Url } from '#config';
import { eventually, s3Error, type S3Fault, TestS3 } from '#testing';
import { BlobTooLarge } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';
import { S3BlobStore } from './s3-blob-store.js';

const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '5' } };
const partBytes = 5 * 1024 ** 2;
const large = Buffer.alloc(3 * partBytes, 'x');
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
/** Shorter than the default timeouts, for tests of timeouts. */
const shortTimeouts = { connect: 100, response: 500, call: 3_000, idle: 500 };
/** For all other tests: the S3 server runs in this process, which may be paused. */
const longTimeouts = { connect: 20_000, response: 20_000, call: 50_000, idle: 50_000 };

// The tests that run with every blob store are in blob-store.medium.spec.ts
let s3: TestS3;
let store: S3BlobStore;
let storeWithShortTimeouts: S3BlobStore;
/** A folder of its own: the tests of deletePartials must not delete files of parallel tests. */
let copies: string;

// Installed before the SDK is loaded, because packages warn only once, when they are loaded
const warnings = jest.spyOn(process, 'emitWarning');

beforeAll(async () => {
  s3 = await TestS3.start();
  copies = await mkdtemp(join(tmpdir(), 'copies-'));
  store = new S3BlobStore(parseS3Url(s3.url), keys, longTimeouts, copies);
  storeWithShortTimeouts = new S3BlobStore(parseS3Url(s3.url), keys, shortTimeouts, copies);
});
afterAll(async () => {
  await s3.close();
  await rm(copies, { recursive: true });
});
beforeEach(() => {
  s3.fault = () => false;
  s3.requests.length = 0;
});

/** Returns the requests with a method, in order: `PUT /blobs/shop/key?x-id=PutObject`. */
const requestsOf = (method: string): string[] => s3.requests.filter((it) => it.startsWith(method));

/**
 * Returns the thrown error, or 'nothing'. Checks that neither its text nor its fields and causes
 * contain a secret.
 */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => 'nothing',
    (it: unknown) => it,
  );
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/S3RVER|Signature=|StringToSign/);
  return error;
}

const temporaryFolders = () => readdir(copies);

describe('a large blob', () => {
  it('is uploaded in parts, of which at most two are in memory', async () => {
    const sent = (): number => requestsOf('PUT').length;
    let readBytes = 0;
    let maxPending = 0;
    async function* chunks(): AsyncGenerator<Buffer> {
      for (; readBytes < large.length; readBytes += 100_000) {
        await eventually('the upload of a part', () => readBytes - sent() * partBytes < 3 * partBytes);
        maxPending = Math.max(maxPending, readBytes - sent() * partBytes);
        yield large.subarray(readBytes, readBytes + 100_000);
      }
    }
    await store.put('long', chunks());
    expect(s3.requests.map((it) => it.replace(/uploadId=\w+/, 'uploadId=1').replace(/&?x-id=\w+&?/, ''))).toEqual([
      'POST /blobs/shop/long?uploads=',
      'PUT /blobs/shop/long?partNumber=1&uploadId=1',
      'PUT /blobs/shop/long?partNumber=2&uploadId=1',
      'PUT /blobs/shop/long?partNumber=3&uploadId=1',
      'POST /blobs/shop/long?uploadId=1',
    ]);
    expect(maxPending).toBeLessThanOrEqual(2 * partBytes + 100_000);
  });

  it('is not downloaded faster than it is consumed', async () => {
    let written = 0;
    const endless: S3Fault = (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'content-length': 2 ** 30 });
      const write = (): void => {
        while (!response.destroyed && response.write(large.subarray(0, 2 ** 16))) written += 2 ** 16;
      };
      response.on('drain', write);
      write();
      return true;
    };
    s3.fault = endless;
    const blob = (await store.read('endless'))!;
    blob.read();
    let before = -1;
    await eventually('the end of writing', async () => {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return before === written;
    });
    // Buffers of the sockets and the kernel
    expect(written).toBeLessThan(64 * 2 ** 20);
    blob.destroy();
  });

  it('has no parts after a failed upload', async () => {
    s3.fault = ({ url = '' }, response) => url.includes('partNumber=2') && s3Error(response, 503, 'SlowDown');
    expect(await thrownBy(store.put('broken', large))).toMatchObject(unavailable);
    expect([await s3.uploads(), await store.has('broken')]).toEqual([[], false]);
    // Retried before the failure
    expect(requestsOf('PUT').filter((it) => it.includes('partNumber=2'))).toHaveLength(3);
  });

  it('has its incomplete upload aborted by deletePartials if older than the given time', async () => {
    s3.fault = ({ method, url = '' }, response) =>
      (method === 'DELETE' || url.includes('partNumber=2')) && s3Error(response, 403, 'AccessDenied');
    await thrownBy(store.put('started', large));
    s3.fault = () => false;
    expect(await s3.uploads()).toHaveLength(1);
    expect(await store.deletePartials(new Date(Date.now() - 60_000))).toBe(0);
    expect(await s3.uploads()).toHaveLength(1);
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(1);
    expect(await s3.uploads()).toEqual([]);
  });
});

describe('withFile', () => {
  it('deletes the copy after use', async () => {
    await store.put('file', Buffer.from('x'));
    const during = await store.withFile('file', temporaryFolders);
    expect(during).toHaveLength(1);
    await thrownBy(store.withFile('none', temporaryFolders));
    await thrownBy(store.withFile('file', () => Promise.reject(new Error('broken'))));
    expect(await temporaryFolders()).toEqual([]);
  });

  it('rejects a blob over the limit by its header, and closes the connection before the content arrives', async () => {
    let isClosed = false;
    s3.fault = (_request, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200, { 'content-length': large.length });
      response.flushHeaders();
      return true;
    };
    const used = jest.fn(temporaryFolders);
    const error = await thrownBy(storeWithShortTimeouts.withFile('large', used, large.length - 1));
    expect(error).toEqual(new BlobTooLarge(large.length));
    await eventually('the connection is closed', () => isClosed);
    expect([used.mock.calls, await temporaryFolders(), s3.requests.length]).toEqual([[], [], 1]);
  });

  it('rejects a blob over the limit without a header of its size', async () => {
    s3.fault = (_request, response) => {
      response.write(large, () => response.end());
      return true;
    };
    const used = jest.fn(temporaryFolders);
    const error = await thrownBy(store.withFile('large', used, large.length - 1));
    expect([error, used.mock.calls]).toEqual([new BlobTooLarge(large.length), []]);
    expect(await temporaryFolders()).toEqual([]);
  });

  it('creates copies that deletePartials deletes if their process was killed', async () => {
    const folder = join(copies, 'storefront-blob-of-killed-process');
    await mkdir(folder, { recursive: true });
    const then = new Date(Date.now() - 86_400_000);
    await utimes(folder, then, then);
    expect(await store.deletePartials(new Date(Date.now() - 80_000_000))).toBe(1);
    expect(await temporaryFolders()).toEqual([]);
  });
});

/** One call of each method that sends a request of its own. */
const methods: readonly [string, (store: S3BlobStore) => Promise<unknown>][] = [
  ['put', (store) => store.put('key', Buffer.from('x'))],
  ['get', (store) => store.get('key')],
  ['read', (store) => store.read('key')],
  ['withFile', (store) => store.withFile('key', () => Promise.resolve(1))],
  ['stat', (store) => store.stat('key')],
  ['move', (store) => store.move('key', 'other')],
  ['delete', (store) => store.delete('key')],
  ['deletePrefix', (store) => store.deletePrefix('key')],
  ['list', (store) => store.list('key').next()],
  ['deletePartials', (store) => store.deletePartials(new Date(0))],
];

describe('a store', () => {
  it.each(methods)('that throttles requests is called three times and then unavailable: %s', async (_, work) => {
    s3.fault = (__, response) => s3Error(response, 503, 'SlowDown');
    expect(await thrownBy(work(store))).toMatchObject(unavailable);
    expect(s3.requests.length).toBe(3);
  });

  it.each(methods)('that fails once is called again: %s', async (_, work) => {
    let first = true;
    s3.fault = (__, response) => {
      if (!first) return false;
      first = false;
      return s3Error(response, 500, 'InternalError');
    };
    await store.put('key', Buffer.from('x'));
    first = true;
    await work(store);
  });

  it('that does not respond is unavailable after a timeout', async () => {
    s3.fault = () => true;
    const startedAt = performance.now();
    const results = await Promise.all(
      methods.map(async ([name, work]) => ({ name, error: await thrownBy(work(storeWithShortTimeouts)) })),
    );
    for (const { name, error } of results) expect({ name, error }).toMatchObject({ name, error: unavailable });
    // Three attempts of half a second and the backoff. The limit allows for a slow machine, and is
    // below the 50 s of the store with long timeouts
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each(methods)('that rejects a request is an error other than service.unavailable: %s', async (_, work) => {
    const details = '<AWSAccessKeyId>S3RVER</AWSAccessKeyId><StringToSign>AWS4</StringToSign>';
    s3.fault = (__, response) => s3Error(response, 403, 'AccessDenied', details);
    const error = await thrownBy(work(store));
    expect(error).not.toHaveProperty('status');
    // HEAD has no body with a reason
    expect((error as Error).message).toMatch(/^The blob store rejected the request: \w+ \(403\)$/);
    expect(s3.requests).toHaveLength(1);
  });

  it('that is down is unavailable', async () => {
    const downStore = new S3BlobStore(parseS3Url('s3://blobs?endpoint=http://127.0.0.1:1'), keys, longTimeouts);
    expect(await thrownBy(downStore.get('key'))).toMatchObject(unavailable);
    expect(await thrownBy(downStore.put('key', large))).toMatchObject(unavailable);
  });

  it('that rejects the credentials is an error without them, and one key alone is an error', async () => {
    for (const wrong of [{ AWS_ACCESS_KEY_ID: 'unknown' }, { AWS_SECRET_ACCESS_KEY: 'S3RVER-not' }]) {
      const otherStore = openBlobStore(s3.url, { ...s3.credentials, ...wrong });
      expect(await thrownBy(otherStore.get('key'))).toMatchObject({ message: expect.stringContaining('(403)') });
    }
    expect(() => openBlobStore(s3.url, { AWS_ACCESS_KEY_ID: 'x' })).toThrow(
      'AWS_SECRET_ACCESS_KEY must be set together',
    );
  });

  it('is called over at most 64 connections', async () => {
    await store.put('key', Buffer.from('x'));
    const waiting: ServerResponse[] = [];
    s3.fault = (_, response) => waiting.push(response) > 0;
    const limited = new S3BlobStore(parseS3Url(s3.url), keys, longTimeouts);
    const all = Array.from({ length: 100 }, () => limited.stat('key'));
    await eventually('64 requests', () => waiting.length === 64);
    // A response frees a connection
    waiting[0]!.writeHead(404).end();
    await eventually('another request', () => waiting.length > 64);
    expect(waiting.length).toBe(65);
    s3.fault = () => false;
    for (const response of waiting.slice(1)) response.writeHead(404).end();
    await Promise.all(all);
  });
});

describe('a connection', () => {
  const reads: typeof methods = [
    ['get', (store) => store.get('large')],
    ['withFile', (store) => store.withFile('large', () => Promise.resolve(1))],
    ['read', async (store) => (await store.read('large'))!.forEach(() => undefined)],
  ];
  const startResponse = (then: (response: ServerResponse) => void): S3Fault => {
    return ({ method }, response) => {
      if (method !== 'GET') return false;
      response.writeHead(200, { 'content-length': large.length });
      response.write(large.subarray(0, 100_000), () => then(response));
      return true;
    };
  };

  it.each(reads)('closed in the middle of a blob returns no partial blob: %s', async (name, work) => {
    s3.fault = startResponse((response) => response.destroy());
    expect(await thrownBy(work(store))).toMatchObject(name === 'read' ? { code: 'ECONNRESET' } : unavailable);
  });

  it.each(reads)('idle in the middle of a blob times out: %s', async (name, work) => {
    s3.fault = startResponse(() => undefined);
    expect(await thrownBy(work(storeWithShortTimeouts))).toMatchObject(
      name === 'read' ? { name: 'TimeoutError' } : unavailable,
    );
  });

  it('that trickles data times out after the timeout of a call', async () => {
    s3.fault = startResponse((response) => {
      const more = setInterval(() => response.destroyed || response.write('x'), 50);
      response.on('close', () => clearInterval(more));
    });
    // The other timeouts do not expire during this test
    const limited = new S3BlobStore(parseS3Url(s3.url), keys, { ...longTimeouts, call: shortTimeouts.call }, copies);
    expect(await thrownBy(limited.get('large'))).toMatchObject(unavailable);
  });

  it('closed during an upload does not change the old blob', async () => {
    await store.put('old', Buffer.from('old'));
    s3.fault = ({ method, socket }) => {
      if (method === 'PUT') socket.once('data', () => socket.destroy());
      return method === 'PUT';
    };
    expect(await thrownBy(storeWithShortTimeouts.put('old', large.subarray(0, partBytes)))).toMatchObject(unavailable);
    s3.fault = () => false;
    expect((await store.get('old'))?.toString()).toBe('old');
  });
});

it('emits no warnings of the SDK', async () => {
  await store.has('any');
  expect(warnings.mock.calls.map(String).filter((text) => text.includes('AWS'))).toEqual([]);
});

it('move retains both keys if the deletion of the source fails, and can be repeated', async () => {
  await store.put('uploads/1', Buffer.from('x'));
  s3.fault = ({ method }, response) => method === 'DELETE' && s3Error(response, 503, 'SlowDown');
  expect(await thrownBy(store.move('uploads/1', 'textures/1'))).toMatchObject(unavailable);
  s3.fault = () => false;
  expect([await store.has('uploads/1'), await store.has('textures/1')]).toEqual([true, true]);
  expect(await store.move('uploads/1', 'textures/1')).toBe(true);
});

it('deletePrefix throws for an object that could not be deleted', async () => {
  await store.put('images/1/a', Buffer.from('x'));
  const responseBody =
    '<DeleteResult><Error><Key>shop/images/1/a</Key><Code>AccessDenied</Code></Error></DeleteResult>';
  s3.fault = ({ method }, response) => method === 'POST' && response.end(responseBody).writableEnded;
  await expect(store.deletePrefix('images/1')).rejects.toThrow('The blob store rejected the request: AccessDenied');
});
