import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bombPng, testPicture } from './test-pictures.js';
import { ChildLost } from '../bounded-child.js';
import { decodeLevel } from '../pipeline/pyramid.js';
import { TextureDecoder } from './decoder.js';

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

  it('measures every supported format, in the same child', async () => {
    const decoder = decoderWith();
    decoder.warm();
    const child = decoder.childId;
    for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const) {
      const picture = await testPicture({ format, width: 60, height: 40, color: '#c83232' });
      const measured = await decoder.measure(picture);
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
         if (first) for (;;);
         process.send({ id, answer: { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null } });
       });
       process.send({ ready: true });`,
    );
    const decoder = decoderWith({ timeoutMs: 700, childPath });
    decoder.warm();
    const child = decoder.childId!;
    const [slow, next] = await Promise.all([
      decoder.measure(Buffer.from('slow')),
      decoder.measure(Buffer.from('next')),
    ]);
    expect(slow).toEqual({ kind: 'not-decoded', reason: 'it took longer than 0.7 s' });
    expect(next).toMatchObject({ kind: 'measured' });
    expect(decoder.childId).not.toBe(child);
    expect(isAlive(child)).toBe(false);
  });

  it('outlives a child that dies during a picture', async () => {
    const decoder = decoderWith();
    const picture = await testPicture({ format: 'png', width: 3000, height: 3000, noise: true });
    const dying = decoder.measure(picture);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(decoder.childId!, 'SIGKILL');
    await expect(dying.catch((error: unknown) => error)).resolves.toBeDefined();
    await expect(decoder.measure(await testPicture({ format: 'png', width: 8, height: 8 }))).resolves.toMatchObject({
      kind: 'measured',
    });
  });

  it('decodes the largest picture that is allowed; with less memory refuses it, and goes on', async () => {
    const largest = await testPicture({ format: 'avif', width: 4_000, height: 4_000 });
    await expect(decoderWith().measure(largest)).resolves.toMatchObject({ kind: 'measured', width: 4_000 });
    const poor = decoderWith({ memoryBytes: 300 * 1024 * 1024 });
    await expect(poor.measure(largest)).resolves.toMatchObject({ kind: 'not-decoded' });
    const small = await testPicture({ format: 'avif', width: 40, height: 40 });
    await expect(poor.measure(small)).resolves.toMatchObject({ kind: 'measured' });
  });

  it('refuses a bomb of 30000 x 30000 pixels from its header', async () => {
    const decoder = decoderWith();
    const begun = performance.now();
    await expect(decoder.measure(bombPng(30_000))).resolves.toMatchObject({ kind: 'too-large' });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('refuses too many waiting pictures at once', async () => {
    const decoder = decoderWith();
    const picture = await testPicture({ format: 'png', width: 8, height: 8 });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => decoder.measure(picture)));
    const overloaded = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(overloaded).toHaveLength(11);
    expect(overloaded[0]?.reason).toMatchObject({ kind: { code: 'service.overloaded' } });
  });

  it('says so when the child cannot be started, and does not blame the picture', async () => {
    const childPath = join(folder, 'stillborn.mjs');
    await writeFile(childPath, 'process.exit(1)');
    const decoder = decoderWith({ childPath });
    await expect(decoder.measure(Buffer.from('x'))).rejects.toThrow(/did not start/);
  });

  it('gives the child nothing of the environment', async () => {
    const childPath = join(folder, 'talkative.mjs');
    await writeFile(
      childPath,
      `process.on('message', ({ id }) => process.send({ id, answer: { kind: 'not-decoded', reason: Object.keys(process.env).join() } }));
       process.send({ ready: true });`,
    );
    process.env.DATABASE_PASSWORD_OF_TEST = 'hunter2';
    const measured = await decoderWith({ childPath }).measure(Buffer.from('x'));
    delete process.env.DATABASE_PASSWORD_OF_TEST;
    expect(measured).toMatchObject({ reason: expect.stringMatching(/^[A-Z_,]*MALLOC_ARENA_MAX[A-Z_,]*$/) });
    expect(measured).not.toMatchObject({ reason: expect.stringContaining('DATABASE') });
  });

  it('ends its child when it is closed', async () => {
    const decoder = decoderWith();
    await decoder.measure(await testPicture({ format: 'png', width: 8, height: 8 }));
    const child = decoder.childId!;
    decoder.onApplicationShutdown();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isAlive(child)).toBe(false);
    await expect(decoder.measure(Buffer.from('x'))).rejects.toThrow(/closed/);
  });

  it('decodes levels in a child of their own, as this process would', async () => {
    const decoder = decoderWith();
    const picture = await testPicture({ format: 'jpeg', width: 300, height: 200, orientation: 6 });
    await decoder.measure(picture);
    const child = decoder.childId;
    const level = await decoder.level(await fileOf(picture), 128);
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
