import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bombPng, testPicture } from './test-pictures.js';
import { ChildLost, childPath } from '../bounded-child.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { TextureDecoder } from './decoder.js';
import { manyScansJpeg } from './testing/jpeg.js';

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

  const decoderWith = (options: Partial<ConstructorParameters<typeof TextureDecoder>[0]> = {}): TextureDecoder => {
    const decoder = new TextureDecoder({ timeoutMs: 8_000, ...options });
    decoders.push(decoder);
    return decoder;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decoder-'));
  });

  afterEach(() => {
    for (const decoder of decoders.splice(0)) decoder.onApplicationShutdown();
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  let files = 0;
  const fileOf = async (picture: Buffer): Promise<string> => {
    files += 1;
    const path = join(folder, `picture-${files}`);
    await writeFile(path, picture);
    return path;
  };

  /** A picture that takes half a second. */
  const slowPicture = (): Promise<string> => fileOf(manyScansJpeg(45));
  const smallPicture = async (): Promise<string> => fileOf(await testPicture({ format: 'png', width: 8, height: 8 }));
  /** Until a child that has measured before is in the middle of a picture. */
  const decoding = (): Promise<void> => setTimeout(100);

  it('measures every supported format, in the same child', async () => {
    const decoder = decoderWith();
    decoder.warm();
    const child = decoder.childId;
    for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const) {
      const picture = await testPicture({ format, width: 60, height: 40, color: '#c83232' });
      const measured = await decoder.measure(await fileOf(picture));
      expect(measured).toMatchObject({ kind: 'measured', format, width: 60, height: 40 });
    }
    expect(decoder.childId).toBe(child);
  });

  it('kills the child of a picture that takes too long, and measures the next one in another', async () => {
    const childPath = join(folder, 'sleeper.mjs');
    // Answers the second process only: the first blocks its thread, as a native decoder does
    await writeFile(
      childPath,
      `import { existsSync, writeFileSync } from 'node:fs';
       const first = !existsSync(${JSON.stringify(join(folder, 'begun'))});
       process.on('message', ({ id }) => {
         writeFileSync(${JSON.stringify(join(folder, 'begun'))}, '');
         if (first) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
         process.send({ id, answer: { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null } });
       });
       process.send({ ready: true });`,
    );
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
      const decoder = decoderWith();
      await decoder.measure(await smallPicture());
      const child = decoder.childId!;
      const measured = decoder.measure(await slowPicture());
      await decoding();
      process.kill(child, signal);
      await expect(measured).resolves.toMatchObject({ kind: 'measured', width: 16_384 });
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

  it.each(['SIGTERM', 'SIGINT'] as const)('answers although %s was sent to its group', async (signal) => {
    const decoder = decoderWith();
    await decoder.measure(await smallPicture());
    const child = decoder.childId!;
    const measured = decoder.measure(await slowPicture());
    process.kill(child, signal);
    await expect(measured).resolves.toMatchObject({ kind: 'measured', width: 16_384 });
    expect(decoder.childId).toBe(child);
  });

  it('does not blame the picture that is decoded when it is closed', async () => {
    const decoder = decoderWith();
    await decoder.measure(await smallPicture());
    const measured = decoder.measure(await slowPicture());
    await decoding();
    decoder.onApplicationShutdown();
    await expect(measured).rejects.toThrow(/closed/);
    expect(decoder.childId).toBeUndefined();
  });

  // That there is memory enough for it is for the spec of hostile pictures
  it('refuses the largest picture that is allowed when it has less memory, and goes on', async () => {
    const largest = await testPicture({ format: 'avif', width: 4_000, height: 4_000 });
    const poor = decoderWith({ memoryBytes: 300 * 1024 * 1024 });
    await expect(poor.measure(await fileOf(largest))).resolves.toMatchObject({
      kind: expect.stringMatching(/^(not-decoded|too-large)$/),
    });
    const small = await testPicture({ format: 'avif', width: 40, height: 40 });
    await expect(poor.measure(await fileOf(small))).resolves.toMatchObject({ kind: 'measured' });
  });

  it('refuses a bomb of 30000 x 30000 pixels from its header', async () => {
    const decoder = decoderWith();
    const begun = performance.now();
    await expect(decoder.measure(await fileOf(bombPng(30_000)))).resolves.toMatchObject({ kind: 'too-large' });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('refuses too many waiting pictures at once', async () => {
    const decoder = decoderWith();
    const picture = await smallPicture();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => decoder.measure(picture)));
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
    await setTimeout(200);
    expect(isAlive(child)).toBe(false);
    await expect(decoder.measure('x')).rejects.toThrow(/closed/);
  });

  it('ends its child at once when its process is killed in the middle of a picture', async () => {
    // The child itself, without the parent that it thinks it has
    const child = fork(childPath('textures/decode.child.js'), { serialization: 'advanced' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await new Promise((resolve) => child.once('message', resolve));
    child.send({ kind: 'measure', path: await fileOf(manyScansJpeg(100)), id: 1 });
    await setTimeout(300);
    const begun = performance.now();
    child.disconnect();
    await ended;
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it('decodes levels in a child of their own, as this process would', async () => {
    const decoder = decoderWith();
    const picture = await testPicture({ format: 'jpeg', width: 300, height: 200, orientation: 6 });
    const path = await fileOf(picture);
    await decoder.measure(path);
    const child = decoder.childId;
    const level = await decoder.level(path, 128);
    const { data, ...facts } = await decodeLevel(picture, 128);
    expect(level).toMatchObject(facts);
    expect(Buffer.compare(level.data, data)).toBe(0);
    expect(decoder.childId).toBe(child);
  });

  it('fails for a level that cannot be decoded, and goes on with the next one', async () => {
    const decoder = decoderWith();
    const lost = decoder.level(await fileOf(Buffer.from('no picture')), 64);
    await expect(lost).rejects.toBeInstanceOf(ChildLost);
    const picture = await testPicture({ format: 'png', width: 8, height: 8 });
    await expect(decoder.level(await fileOf(picture), 32)).resolves.toMatchObject({ edge: 32, width: 8 });
  });
});
