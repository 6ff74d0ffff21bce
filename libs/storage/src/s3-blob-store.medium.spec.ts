import { jest } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { parseS3Url } from '#config';
import { eventually, s3Error, type S3Fault, TestS3 } from '#testing';
import { openBlobStore } from './open-blob-store.js';
import { S3BlobStore } from './s3-blob-store.js';

const away = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '5' } };
const partBytes = 5 * 1024 ** 2;
const large = Buffer.alloc(3 * partBytes, 'x');
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
/** Like the usual ones, a tenth of them: for what is to be given up. */
const soon = { connect: 100, answer: 500, call: 3_000, idle: 500 };
/** For all that is to be answered, however long this process stands still. */
const late = { connect: 20_000, answer: 20_000, call: 50_000, idle: 50_000 };

// What every blob store does is in blob-store.medium.spec.ts
let s3: TestS3;
let store: S3BlobStore;
let hasty: S3BlobStore;
/** Its own: what is swept here must not be what tests beside this one use. */
let copies: string;

// They say it once, when they are loaded
const warnings = jest.spyOn(process, 'emitWarning');

beforeAll(async () => {
  s3 = await TestS3.start();
  copies = await mkdtemp(join(tmpdir(), 'copies-'));
  store = new S3BlobStore(parseS3Url(s3.url), keys, late, copies);
  hasty = new S3BlobStore(parseS3Url(s3.url), keys, soon, copies);
});
afterAll(async () => {
  await s3.close();
  await rm(copies, { recursive: true });
});
beforeEach(() => {
  s3.fault = () => false;
  s3.asked.length = 0;
});

/** What is asked of the bucket, in the order of asking: `PUT shop/key`. */
const asked = (method: string): string[] => s3.asked.filter((it) => it.startsWith(method));

/** Nothing of the text of an error, its fields or its causes is a secret. */
async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => 'nothing',
    (it: unknown) => it,
  );
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/S3RVER|Signature=|StringToSign/);
  return error;
}

const temporaryFolders = () => readdir(copies);

describe('a long blob', () => {
  it('is sent in parts, two of which wait at most', async () => {
    const sent = (): number => asked('PUT').length;
    let taken = 0;
    let most = 0;
    async function* pieces(): AsyncGenerator<Buffer> {
      for (; taken < large.length; taken += 100_000) {
        await eventually('what was sent', () => taken - sent() * partBytes < 3 * partBytes);
        most = Math.max(most, taken - sent() * partBytes);
        yield large.subarray(taken, taken + 100_000);
      }
    }
    await store.put('long', pieces());
    expect(s3.asked.map((it) => it.replace(/uploadId=\w+/, 'uploadId=1').replace(/&?x-id=\w+&?/, ''))).toEqual([
      'POST /blobs/shop/long?uploads=',
      'PUT /blobs/shop/long?partNumber=1&uploadId=1',
      'PUT /blobs/shop/long?partNumber=2&uploadId=1',
      'PUT /blobs/shop/long?partNumber=3&uploadId=1',
      'POST /blobs/shop/long?uploadId=1',
    ]);
    expect(most).toBeLessThanOrEqual(2 * partBytes + 100_000);
  });

  it('waits in the store when nobody reads it', async () => {
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
    // What the sockets and the kernel hold
    expect(written).toBeLessThan(64 * 2 ** 20);
    blob.destroy();
  });

  it('leaves nothing in parts when it could not be sent to its end', async () => {
    s3.fault = ({ url = '' }, response) => url.includes('partNumber=2') && s3Error(response, 503, 'SlowDown');
    expect(await thrownBy(store.put('broken', large))).toMatchObject(away);
    expect([await s3.uploads(), await store.has('broken')]).toEqual([[], false]);
    // Asked again before it was given up
    expect(asked('PUT').filter((it) => it.includes('partNumber=2'))).toHaveLength(3);
  });

  it('that a process began and did not end is removed, when it is old enough', async () => {
    s3.fault = ({ method, url = '' }, response) =>
      (method === 'DELETE' || url.includes('partNumber=2')) && s3Error(response, 403, 'AccessDenied');
    await thrownBy(store.put('begun', large));
    s3.fault = () => false;
    expect(await s3.uploads()).toHaveLength(1);
    expect(await store.deletePartials(new Date(Date.now() - 60_000))).toBe(0);
    expect(await s3.uploads()).toHaveLength(1);
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(1);
    expect(await s3.uploads()).toEqual([]);
  });
});

describe('the copy for another process', () => {
  it('is there while it is used, and no longer', async () => {
    await store.put('file', Buffer.from('x'));
    const during = await store.withFile('file', temporaryFolders);
    expect(during).toHaveLength(1);
    await thrownBy(store.withFile('none', temporaryFolders));
    await thrownBy(store.withFile('file', () => Promise.reject(new Error('broken'))));
    expect(await temporaryFolders()).toEqual([]);
  });

  it('of a process that was killed is removed', async () => {
    const folder = join(copies, 'storefront-blob-of-the-killed');
    await mkdir(folder, { recursive: true });
    const then = new Date(Date.now() - 86_400_000);
    await utimes(folder, then, then);
    expect(await store.deletePartials(new Date(Date.now() - 80_000_000))).toBe(1);
    expect(await temporaryFolders()).toEqual([]);
  });
});

/** One of everything that asks the store. */
const everything: readonly [string, (store: S3BlobStore) => Promise<unknown>][] = [
  ['put', (store) => store.put('key', Buffer.from('x'))],
  ['get', (store) => store.get('key')],
  ['read', (store) => store.read('key')],
  ['withFile', (store) => store.withFile('key', () => Promise.resolve(1))],
  ['facts', (store) => store.facts('key')],
  ['move', (store) => store.move('key', 'other')],
  ['delete', (store) => store.delete('key')],
  ['deleteBelow', (store) => store.deleteBelow('key')],
  ['below', (store) => store.below('key').next()],
  ['deletePartials', (store) => store.deletePartials(new Date(0))],
];

describe('a store', () => {
  it.each(everything)('that wants less is asked three times and then later: %s', async (_, work) => {
    s3.fault = (__, response) => s3Error(response, 503, 'SlowDown');
    expect(await thrownBy(work(store))).toMatchObject(away);
    expect(s3.asked.length).toBe(3);
  });

  it.each(everything)('that answers again when it is asked again: %s', async (_, work) => {
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

  it('that says nothing is left after a while, whatever it is asked', async () => {
    s3.fault = () => true;
    const startedAt = performance.now();
    const ends = await Promise.all(
      everything.map(async ([name, work]) => ({ name, error: await thrownBy(work(hasty)) })),
    );
    for (const { name, error } of ends) expect({ name, error }).toMatchObject({ name, error: away });
    // Three times half a second, and what lies between; the patient one waits for 50 s
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each(everything)('that refuses is a defect, which somebody has to look at: %s', async (_, work) => {
    const more = '<AWSAccessKeyId>S3RVER</AWSAccessKeyId><StringToSign>AWS4</StringToSign>';
    s3.fault = (__, response) => s3Error(response, 403, 'AccessDenied', more);
    const error = await thrownBy(work(store));
    expect(error).not.toHaveProperty('status');
    // HEAD has no body that says why
    expect((error as Error).message).toMatch(/^the blob store refuses: \w+ \(403\)$/);
    expect(s3.asked).toHaveLength(1);
  });

  it('that is not up says to come again', async () => {
    const gone = new S3BlobStore(parseS3Url('s3://blobs?endpoint=http://127.0.0.1:1'), keys, late);
    expect(await thrownBy(gone.get('key'))).toMatchObject(away);
    expect(await thrownBy(gone.put('key', large))).toMatchObject(away);
  });

  it('that does not know the key or the secret refuses, and neither is told', async () => {
    for (const wrong of [{ AWS_ACCESS_KEY_ID: 'unknown' }, { AWS_SECRET_ACCESS_KEY: 'S3RVER-not' }]) {
      const stranger = openBlobStore(s3.url, { ...s3.credentials, ...wrong });
      expect(await thrownBy(stranger.get('key'))).toMatchObject({ message: expect.stringContaining('(403)') });
    }
    expect(() => openBlobStore(s3.url, { AWS_ACCESS_KEY_ID: 'x' })).toThrow('AWS_SECRET_ACCESS_KEY go together');
  });

  it('is asked over 64 connections at most', async () => {
    await store.put('key', Buffer.from('x'));
    const waiting: ServerResponse[] = [];
    s3.fault = (_, response) => waiting.push(response) > 0;
    const patient = new S3BlobStore(parseS3Url(s3.url), keys, late);
    const all = Array.from({ length: 100 }, () => patient.facts('key'));
    await eventually('64 requests', () => waiting.length === 64);
    // Who is answered makes room for one
    waiting[0]!.writeHead(404).end();
    await eventually('another request', () => waiting.length > 64);
    expect(waiting.length).toBe(65);
    s3.fault = () => false;
    for (const response of waiting.slice(1)) response.writeHead(404).end();
    await Promise.all(all);
  });
});

describe('a connection', () => {
  const reads: typeof everything = [
    ['get', (store) => store.get('large')],
    ['withFile', (store) => store.withFile('large', () => Promise.resolve(1))],
    ['read', async (store) => (await store.read('large'))!.forEach(() => undefined)],
  ];
  const begun = (then: (response: ServerResponse) => void): S3Fault => {
    return ({ method }, response) => {
      if (method !== 'GET') return false;
      response.writeHead(200, { 'content-length': large.length });
      response.write(large.subarray(0, 100_000), () => then(response));
      return true;
    };
  };

  it.each(reads)('that breaks off in the middle of a blob gives no part of it: %s', async (name, work) => {
    s3.fault = begun((response) => response.destroy());
    expect(await thrownBy(work(store))).toMatchObject(name === 'read' ? { code: 'ECONNRESET' } : away);
  });

  it.each(reads)('that is silent in the middle of a blob is left: %s', async (name, work) => {
    s3.fault = begun(() => undefined);
    expect(await thrownBy(work(hasty))).toMatchObject(name === 'read' ? { name: 'TimeoutError' } : away);
  });

  it('that is never silent and never done is left when the time of a call is over', async () => {
    s3.fault = begun((response) => {
      const more = setInterval(() => response.destroyed || response.write('x'), 50);
      response.on('close', () => clearInterval(more));
    });
    // No other limit could end it
    const limited = new S3BlobStore(parseS3Url(s3.url), keys, { ...late, call: soon.call }, copies);
    expect(await thrownBy(limited.get('large'))).toMatchObject(away);
  });

  it('that breaks off while a blob is sent keeps the old one', async () => {
    await store.put('old', Buffer.from('old'));
    s3.fault = ({ method, socket }) => {
      if (method === 'PUT') socket.once('data', () => socket.destroy());
      return method === 'PUT';
    };
    expect(await thrownBy(hasty.put('old', large.subarray(0, partBytes)))).toMatchObject(away);
    s3.fault = () => false;
    expect((await store.get('old'))?.toString()).toBe('old');
  });
});

it('is used without a warning of its packages, on every Node that we run on', async () => {
  await store.has('any');
  expect(warnings.mock.calls.map(String).filter((text) => text.includes('AWS'))).toEqual([]);
});

it('moves what is copied and cannot be removed: both keys are there', async () => {
  await store.put('uploads/1', Buffer.from('x'));
  s3.fault = ({ method }, response) => method === 'DELETE' && s3Error(response, 503, 'SlowDown');
  expect(await thrownBy(store.move('uploads/1', 'textures/1'))).toMatchObject(away);
  s3.fault = () => false;
  expect([await store.has('uploads/1'), await store.has('textures/1')]).toEqual([true, true]);
  expect(await store.move('uploads/1', 'textures/1')).toBe(true);
});

it('tells what could not be removed with the others', async () => {
  await store.put('images/1/a', Buffer.from('x'));
  const answer = '<DeleteResult><Error><Key>shop/images/1/a</Key><Code>AccessDenied</Code></Error></DeleteResult>';
  s3.fault = ({ method }, response) => method === 'POST' && response.end(answer).writableEnded;
  await expect(store.deleteBelow('images/1')).rejects.toThrow('the blob store refuses: AccessDenied');
});
