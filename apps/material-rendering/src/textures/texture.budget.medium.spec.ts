import { jest } from '@jest/globals';
import pg from 'pg';
import { statementVerbs } from '#testing';
import { TextureIntake } from '../testing/texture-intake.js';
import { TextureDecoder } from './texture.decoder.js';
import { testImage } from './testing/test-images.js';
import type { TextureService } from './texture.service.js';

let intake: TextureIntake;
let decoder: TextureDecoder;
let textures: TextureService;
const querySpy = jest.spyOn(pg.Client.prototype, 'query');
/** Calls of the blob store, in their order. */
let blobCalls: string[] = [];
/** Images that were passed to the decoder: the path or the content. */
let decoded: (string | Buffer)[] = [];

beforeAll(async () => {
  intake = await TextureIntake.open();
  for (const name of ['put', 'putTemporary', 'stat', 'withFile', 'move', 'delete'] as const) {
    const call = intake.blobs[name].bind(intake.blobs) as (...values: unknown[]) => never;
    intake.blobs[name] = (...values: unknown[]) => {
      blobCalls.push(name);
      return call(...values);
    };
  }
  decoder = new TextureDecoder({ timeoutMs: 60_000 });
  const measure = decoder.measure.bind(decoder);
  decoder.measure = (image, withLevel) => {
    decoded.push(image);
    return measure(image, withLevel);
  };
  textures = intake.serviceWith(decoder);
});
afterAll(async () => {
  decoder.onApplicationShutdown();
  await intake.close();
  querySpy.mockRestore();
});

/** Stores an upload. @returns the first word of each statement */
async function statementsOf(image: Buffer): Promise<string[]> {
  const key = await intake.upload(image);
  querySpy.mockClear();
  [blobCalls, decoded] = [[], []];
  await textures.store(1, [{ kind: 'upload', key }]);
  return statementVerbs(querySpy.mock.calls);
}

describe('a new texture', () => {
  const image = (width: number, noise: boolean) => testImage({ format: 'png', width, height: width, noise });

  it('is three prepared statements, read once, decoded once, and moved without a deletion', async () => {
    // A read is prepared at its second use
    await statementsOf(await image(9, true));
    const small = await image(10, true);
    expect(await statementsOf(small)).toEqual(['select', 'insert', 'with']);
    for (const [statement] of querySpy.mock.calls as unknown[][]) expect(statement).toHaveProperty('name');
    expect(blobCalls).toEqual(['withFile', 'stat', 'move']);
    expect(decoded).toEqual([small]);
  });

  it('leaves no upload, also if its image is known', async () => {
    const known = await image(11, true);
    await statementsOf(known);
    await statementsOf(known);
    expect(decoded).toEqual([]);
    expect(await intake.keys('uploads')).toEqual([]);
  });

  it('of over 256 KB is not in memory while it waits for the decoder', async () => {
    const large = await image(400, true);
    expect(large.length).toBeGreaterThan(256 * 1024);
    await statementsOf(large);
    expect(decoded).toEqual([expect.any(String)]);
  });
});
