import { utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { externalImageKey, type ExternalImage, problems } from '#contracts';
import { DomainError } from '#kernel';
import { deferred } from '#concurrency';
import { eventually } from '#testing';
import { sharp } from '#images';
import { TextureIntake } from '../testing/texture-intake.js';
import { type PrintFileSweeper } from '../print-files/print-file.sweeper.js';
import { bombPng, testImage } from '../textures/testing/test-images.js';
import { TextureConsumer } from '../textures/texture.consumer.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureReferenceRepository } from '../textures/texture-reference.repository.js';
import type { TextureSweeper } from '../textures/texture.sweeper.js';
import { UploadSweeper } from '../textures/upload.sweeper.js';
import { ExternalImageService } from './external-image.service.js';

const userId = 7;
const rejection = (code: string) => ({ kind: { code } });
const hourMs = 3_600_000;

let intake: TextureIntake;
let decoder: TextureDecoder;
let users: TextureReferenceRepository;
let images: ExternalImageService;
let fetches = 0;

/** Serves bytes, and counts the requests. */
const serve = (bytes: Buffer): void => {
  fetches = 0;
  intake.served = {
    bytes: async function* () {
      await Promise.resolve();
      fetches += 1;
      yield bytes;
    },
  };
};
const image = (name: string, kind: ExternalImage['kind'] = 'avatar'): ExternalImage => ({
  userId,
  kind,
  id: userId,
  url: intake.addressOf(name),
});
const stored = () => intake.keys('external');

beforeAll(async () => {
  intake = await TextureIntake.open();
  decoder = new TextureDecoder({ timeoutMs: 60_000 });
  users = new TextureReferenceRepository(intake.db.database);
});
afterAll(async () => {
  decoder.onApplicationShutdown();
  await intake.close();
});
beforeEach(async () => {
  await intake.blobs.deletePrefix('external');
  images = new ExternalImageService(intake.serviceWith(decoder), decoder, intake.blobs, users);
});
afterEach(async () => {
  jest.restoreAllMocks();
  expect([await intake.keys('uploads'), await intake.keys('textures')]).toEqual([[], []]);
});

describe('an external image', () => {
  it('is fetched once and stored as WebP of a bounded size, on white', async () => {
    serve(await testImage({ format: 'png', width: 800, height: 400, color: '#00000000' }));
    const replies = await Promise.all([1, 2, 3].map(() => images.store(image('a.png'))));
    expect(replies).toEqual(Array(3).fill({ key: externalImageKey(image('a.png')) }));
    await images.store(image('a.png'));
    expect(fetches).toBe(1);
    const { data, info } = await sharp((await intake.blobs.get(replies[0]!.key))!)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 256, height: 128, channels: 3 });
    expect(data[0]).toBe(255);
  });

  it('is up to 1,200 pixels wide as a header, and not enlarged', async () => {
    for (const [width, expected] of [
      [2_000, 1_200],
      [300, 300],
    ] as const) {
      serve(await testImage({ format: 'jpeg', width, height: 100 }));
      const { key } = await images.store(image(`${width}.jpg`, 'header'));
      expect((await sharp((await intake.blobs.get(key))!).metadata()).width).toBe(expected);
    }
  });

  it('replaces the image of another URL, and of this kind only', async () => {
    serve(await testImage({ format: 'png', width: 20, height: 20 }));
    for (const it of [image('1.png'), image('1.png', 'header'), image('2.png')]) await images.store(it);
    expect((await stored()).sort()).toEqual([image('2.png'), image('1.png', 'header')].map(externalImageKey).sort());
  });

  it('does not replace the image of a later URL that was fetched faster', async () => {
    serve(await testImage({ format: 'png', width: 20, height: 20 }));
    const second = deferred();
    const withImage = intake.blobs.withFile.bind(intake.blobs);
    const slow = jest.spyOn(intake.blobs, 'withFile');
    slow.mockImplementationOnce(async (key, use) => {
      await second.promise;
      return withImage(key, use);
    });
    const first = images.store(image('1.png'));
    await eventually('the first image is fetched', () => slow.mock.calls.length === 1);
    await images.store(image('2.png'));
    second.resolve();
    await first;
    expect(await stored()).toContain(externalImageKey(image('2.png')));
  });
});

describe('a rejected external image', () => {
  it.each([
    ['an HTML page', () => Buffer.from('<html>'), 'texture.unsupported-format'],
    ['an empty file', () => Buffer.alloc(0), 'texture.empty'],
    ['a decompression bomb', () => bombPng(16_000), 'texture.too-large'],
  ])('is not fetched again within an hour: %s', async (_, bytes, code) => {
    serve(bytes());
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(images.store(image('broken'))).rejects.toMatchObject(rejection(code));
    expect([fetches, await stored()]).toEqual([1, []]);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + hourMs);
    await expect(images.store(image('broken'))).rejects.toMatchObject(rejection(code));
    expect(fetches).toBe(2);
  });

  it('is not fetched from a private address', async () => {
    let connections = 0;
    const internal = createServer((_request, response) => response.end()).on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
    const { port } = internal.address() as AddressInfo;
    for (const host of [`127.0.0.1:${port}`, `[::ffff:127.0.0.1]:${port}`, '10.0.0.1', '169.254.169.254']) {
      const store = images.store({ userId, kind: 'avatar', id: userId, url: `http://${host}/a.png` });
      await expect(store).rejects.toMatchObject(rejection('texture.address-refused'));
    }
    internal.close();
    expect([connections, await stored()]).toEqual([0, []]);
  });

  it('is fetched again after a failure of this service', async () => {
    serve(await testImage({ format: 'png', width: 20, height: 20 }));
    const level = jest.spyOn(decoder, 'level');
    level.mockRejectedValueOnce(new DomainError(problems['service.unavailable'], 'The decoder does not start.'));
    await expect(images.store(image('a.png'))).rejects.toMatchObject(rejection('service.unavailable'));
    await images.store(image('a.png'));
    expect(await stored()).toHaveLength(1);
  });
});

describe('a stored external image', () => {
  it('is deleted with the user', async () => {
    serve(await testImage({ format: 'png', width: 20, height: 20 }));
    await images.store(image('a.png'));
    await images.store({ ...image('a.png'), userId: 77 });
    const sweep = { deleteAllOf: (id: number) => users.markUserDeleted(id) } as TextureSweeper;
    const noPrintFiles = { deleteAllOf: () => Promise.resolve() } as unknown as PrintFileSweeper;
    await new TextureConsumer(sweep, images, noPrintFiles).userMaterialsDeleted({
      event: { payload: { userId } },
    } as never);
    expect(await stored()).toEqual([externalImageKey({ ...image('a.png'), userId: 77 })]);
    await expect(images.store(image('b.png'))).rejects.toMatchObject(rejection('picture.not-found'));
    expect(await stored()).toHaveLength(1);
  });

  it('is deleted after seven days, and then stored again', async () => {
    serve(await testImage({ format: 'png', width: 20, height: 20 }));
    const other = { ...image('a.png'), userId: 8 };
    const { key } = await images.store(other);
    const sweeper = new UploadSweeper(intake.blobs, pino({ level: 'silent' }));
    const age = (hours: number) => new Date(Date.now() - hours * hourMs);
    await utimes(join(intake.folder, key), age(167), age(167));
    expect(await sweeper.sweep(new Date())).toBe(0);
    await utimes(join(intake.folder, key), age(169), age(169));
    expect([await sweeper.sweep(new Date()), await stored()]).toEqual([1, []]);
    await images.store(other);
    expect([fetches, await stored()]).toEqual([2, [key]]);
  });
});
