import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import { bombPng, testPicture } from './test-pictures.js';
import { ChildLost, childPath } from '../bounded-child.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { TextureDecoder } from './decoder.js';
import { manyScansJpeg } from './testing/jpeg.js';
import { flatWebp } from './testing/webp.js';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the decoder', () => {
  const decoders: TextureDecoder[] = [];
  let folder: string;
  /** For all who leave its child alive. */
  let shared: TextureDecoder;

  const decoderWith = (options: Partial<ConstructorParameters<typeof TextureDecoder>[0]> = {}): TextureDecoder => {
    const decoder = new TextureDecoder({ timeoutMs: 8_000, ...options });
    decoders.push(decoder);
    return decoder;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decoder-'));
    shared = new TextureDecoder({ timeoutMs: 8_000 });
  });

  afterEach(() => {
    for (const decoder of decoders.splice(0)) decoder.onApplicationShutdown();
  });

  afterAll(async () => {
    shared.onApplicationShutdown();
    await rm(folder, { recursive: true });
  });

  let files = 0;
  const fileOf = async (picture: Buffer): Promise<string> => {
    files += 1;
    const path = join(folder, `picture-${files}`);
    await writeFile(path, picture);
    return path;
  };

  const smallPicture = async (): Promise<string> => fileOf(await testPicture({ format: 'png', width: 8, height: 8 }));

  let sleepers = 0;
  /**
   * A child that blocks its thread in its first order, as a native decoder does; the next process of it answers.
   *
   * @returns its path, and what ends when it has begun
   */
  const sleeper = async () => {
    sleepers += 1;
    const [childPath, begun] = [join(folder, `sleeper-${sleepers}.mjs`), join(folder, `begun-${sleepers}`)];
    await writeFile(
      childPath,
      `import { existsSync, writeFileSync } from 'node:fs';
       const first = !existsSync(${JSON.stringify(begun)});
       process.on('message', ({ id }) => {
         writeFileSync(${JSON.stringify(begun)}, '');
         if (first) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
         process.send({ id, answer: { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null } });
       });
       process.send({ ready: true });`,
    );
    return { childPath, hasBegun: () => eventually('the first order', () => existsSync(begun)) };
  };

  it('measures every supported format, in the same child', async () => {
    shared.warm();
    const child = shared.childId;
    for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const) {
      const picture = await testPicture({ format, width: 60, height: 40, color: '#c83232' });
      const measured = await shared.measure(await fileOf(picture));
      expect(measured).toMatchObject({ kind: 'measured', format, width: 60, height: 40 });
    }
    expect(shared.childId).toBe(child);
  });

  it('kills the child of a picture that takes too long, and measures the next one in another', async () => {
    const { childPath } = await sleeper();
    // Time for the second process to start while other tests run
    const decoder = decoderWith({ timeoutMs: 3_000, childPath });
    decoder.warm();
    const child = decoder.childId!;
    const [slow, next] = await Promise.all([decoder.measure('slow'), decoder.measure('next')]);
    expect(slow).toEqual({ kind: 'not-decoded', reason: 'it took longer than 3 s' });
    expect(next).toMatchObject({ kind: 'measured' });
    expect(decoder.childId).not.toBe(child);
    expect(isAlive(child)).toBe(false);
  });

  it.each(['SIGKILL', 'SIGSEGV'] as const)(
    'measures a picture in a second child when %s ends the first one',
    async (signal) => {
      const { childPath, hasBegun } = await sleeper();
      const decoder = decoderWith({ timeoutMs: 60_000, childPath });
      const measured = decoder.measure('x');
      await hasBegun();
      const child = decoder.childId!;
      process.kill(child, signal);
      await expect(measured).resolves.toMatchObject({ kind: 'measured' });
      expect(decoder.childId).not.toBe(child);
    },
  );

  it('measures a picture that comes just after its idle child was killed', async () => {
    const decoder = decoderWith();
    const picture = await smallPicture();
    await decoder.measure(picture);
    process.kill(decoder.childId!, 'SIGKILL');
    await expect(decoder.measure(picture)).resolves.toMatchObject({ kind: 'measured' });
  });

  it('blames the picture that a second child dies of, and asks no third one', async () => {
    const childPath = join(folder, 'dying.mjs');
    await writeFile(
      childPath,
      `import { appendFileSync } from 'node:fs';
       process.on('message', () => {
         appendFileSync(${JSON.stringify(join(folder, 'deaths'))}, 'x');
         process.kill(process.pid, 'SIGSEGV');
       });
       process.send({ ready: true });`,
    );
    const measured = await decoderWith({ childPath }).measure('deadly');
    expect(measured).toEqual({ kind: 'not-decoded', reason: expect.stringMatching(/damaged/) });
    expect(await readFile(join(folder, 'deaths'), 'utf8')).toBe('xx');
  });

  it('answers although SIGTERM and SIGINT were sent to its group', async () => {
    await shared.measure(await smallPicture());
    const child = shared.childId!;
    const measured = shared.measure(await fileOf(manyScansJpeg(15)));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(child, signal);
    await expect(measured).resolves.toMatchObject({ kind: 'measured', width: 16_384 });
    expect(shared.childId).toBe(child);
  });

  it('does not blame the picture that is decoded when it is closed', async () => {
    const { childPath, hasBegun } = await sleeper();
    const decoder = decoderWith({ timeoutMs: 60_000, childPath });
    const measured = decoder.measure('x');
    await hasBegun();
    decoder.onApplicationShutdown();
    await expect(measured).rejects.toThrow(/closed/);
    expect(decoder.childId).toBeUndefined();
  });

  // That there is memory enough for it is for the spec of hostile pictures
  it('refuses the largest picture that is allowed when it has less memory, and goes on', async () => {
    const poor = decoderWith({ memoryBytes: 200 * 1024 * 1024 });
    await expect(poor.measure(await fileOf(await flatWebp(7071, 7071)))).resolves.toMatchObject({
      kind: expect.stringMatching(/^(not-decoded|too-large)$/),
    });
    const small = await testPicture({ format: 'avif', width: 40, height: 40 });
    await expect(poor.measure(await fileOf(small))).resolves.toMatchObject({ kind: 'measured' });
  });

  it('refuses a bomb of 30000 x 30000 pixels from its header', async () => {
    // Nothing else of it is there
    const header = bombPng(30_000).subarray(0, 100);
    await expect(shared.measure(await fileOf(header))).resolves.toMatchObject({ kind: 'too-large' });
  });

  it('refuses too many waiting pictures at once', async () => {
    const picture = await smallPicture();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => shared.measure(picture)));
    const overloaded = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(overloaded).toHaveLength(11);
    expect(overloaded[0]?.reason).toMatchObject({ kind: { code: 'service.overloaded' } });
  });

  it('says so when the child cannot be started, and does not blame the picture', async () => {
    const childPath = join(folder, 'stillborn.mjs');
    await writeFile(childPath, 'process.exit(1)');
    const decoder = decoderWith({ childPath });
    await expect(decoder.measure('x')).rejects.toThrow(/did not start/);
  });

  it('gives the child nothing of the environment', async () => {
    const childPath = join(folder, 'talkative.mjs');
    await writeFile(
      childPath,
      `process.on('message', ({ id }) => process.send({ id, answer: { kind: 'not-decoded', reason: Object.keys(process.env).join() } }));
       process.send({ ready: true });`,
    );
    process.env.DATABASE_PASSWORD_OF_TEST = 'hunter2';
    const measured = await decoderWith({ childPath }).measure('x');
    delete process.env.DATABASE_PASSWORD_OF_TEST;
    expect(measured).toMatchObject({ reason: expect.stringMatching(/^[A-Z_,]*MALLOC_ARENA_MAX[A-Z_,]*$/) });
    expect(measured).not.toMatchObject({ reason: expect.stringContaining('DATABASE') });
  });

  it('ends its child when it is closed', async () => {
    const decoder = decoderWith();
    await decoder.measure(await smallPicture());
    const child = decoder.childId!;
    decoder.onApplicationShutdown();
    await eventually('the end of the child', () => !isAlive(child));
    await expect(decoder.measure('x')).rejects.toThrow(/closed/);
  });

  it('ends its child at once when its process is killed in the middle of a picture', async () => {
    // The child itself, without the parent that it thinks it has
    const child = fork(childPath('textures/decode.child.js'), { serialization: 'advanced' });
    const ended = once(child, 'exit');
    await once(child, 'message');
    child.send({ kind: 'measure', path: await fileOf(manyScansJpeg(100)), id: 1 });
    child.disconnect();
    // By itself, and not after an orderly exit, which waits for the picture
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('decodes levels in a child of their own, as this process would', async () => {
    const picture = await testPicture({ format: 'jpeg', width: 300, height: 200, orientation: 6 });
    const path = await fileOf(picture);
    await shared.measure(path);
    const child = shared.childId;
    const level = await shared.level(path, 128);
    const { data, ...facts } = await decodeLevel(picture, 128);
    expect(level).toMatchObject(facts);
    expect(Buffer.compare(level.data, data)).toBe(0);
    expect(shared.childId).toBe(child);
  });

  it('fails for a level that cannot be decoded, and goes on with the next one', async () => {
    const lost = shared.level(await fileOf(Buffer.from('no picture')), 64);
    await expect(lost).rejects.toBeInstanceOf(ChildLost);
    await expect(shared.level(await smallPicture(), 32)).resolves.toMatchObject({ edge: 32, width: 8 });
  });
});
