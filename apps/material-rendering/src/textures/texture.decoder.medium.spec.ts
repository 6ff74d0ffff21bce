import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { jest } from '@jest/globals';
import { projectPath } from '#config';
import type { Log } from '#observability';
import { eventually } from '#testing';
import { bombPng, testImage } from './testing/test-images.js';
import { ChildTerminated } from '../children/bounded-child.js';
import { encodeFrame } from '#children/child-frames.js';
import { startConnectedChild } from '#children/child-process.js';
import { decodeProgram } from '../children/child-programs.js';
import { decodeLevel } from '#rendering/level.js';
import { decodeCut } from '#rendering/print/cut.js';
import { TextureDecoder } from './texture.decoder.js';
import { manyScansJpeg } from './testing/jpeg.js';
import { flatWebp } from './testing/webp.js';

/**
 * Longer than any pause of a machine. Only the test of the timeout reaches it, with a fake clock.
 */
const timeoutMs = 60_000;

/** Returns the frame of a reply to a task, as source code of a child. */
const reply = (id: number): string => {
  const frame = Buffer.concat(encodeFrame({ id, memory: 0 }));
  return `Buffer.from('${frame.toString('base64')}', 'base64')`;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('TextureDecoder', () => {
  const decoders: TextureDecoder[] = [];
  let folder: string;
  /** A file for children that do not open it. */
  let any: string;
  /** For the tests that do not end its child. */
  let shared: TextureDecoder;

  const decoderWith = (options: Partial<ConstructorParameters<typeof TextureDecoder>[0]> = {}): TextureDecoder => {
    const decoder = new TextureDecoder({ timeoutMs, ...options });
    decoders.push(decoder);
    return decoder;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decoder-'));
    any = await fileOf(Buffer.from('any'));
    shared = new TextureDecoder({ timeoutMs });
  });

  afterEach(() => {
    jest.useRealTimers();
    for (const decoder of decoders.splice(0)) decoder.onApplicationShutdown();
  });

  afterAll(async () => {
    shared.onApplicationShutdown();
    await rm(folder, { recursive: true });
  });

  let files = 0;
  const fileOf = async (image: Buffer): Promise<string> => {
    files += 1;
    const path = join(folder, `image-${files}`);
    await writeFile(path, image);
    return path;
  };

  /** Returns both ends of a connection; no data has been read from the second one. */
  const socketPair = async (): Promise<[Socket, Socket]> => {
    const path = join(folder, 'pair.sock');
    const server = createServer({ pauseOnConnect: true }).listen(path);
    const connection = once(server, 'connection') as Promise<[Socket]>;
    const ours = connect(path);
    const [its] = await connection;
    server.close();
    return [ours, its];
  };

  const exampleImage = async (): Promise<string> => fileOf(await testImage({ format: 'png', width: 8, height: 8 }));

  it('returns a part of an image, also beyond 64 MB', async () => {
    const image = await testImage({ format: 'png', width: 5_000, height: 4_000, color: '#274b6d' });
    const cut = { left: 0, top: 0, width: 5_000, height: 4_000, scaledWidth: 5_000, scaledHeight: 4_000 };
    const data = await shared.cut(await fileOf(image), cut);
    expect(data.length).toBe(80_000_000);
    expect(data.equals(await decodeCut(image, cut))).toBe(true);
  });

  let children = 0;
  /**
   * Creates a child program that replies with the result of `work`. It may access the test folder.
   */
  const childOf = async (work: string) => {
    children += 1;
    const path = join(folder, `child-${children}.mjs`);
    await writeFile(
      path,
      `import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';
       import { runTasks } from ${JSON.stringify(projectPath('dist/libs/children/src/run-tasks.js'))};
       runTasks(async () => { ${work} });`,
    );
    const NODE_OPTIONS = `--allow-fs-write=${folder}/ --allow-fs-read=${folder}/`;
    return { path, env: { NODE_OPTIONS } };
  };

  /**
   * Creates a child program that blocks its thread in its first task, as a native decoder does. Its
   * next process replies.
   *
   * @returns the program, and a function that waits until the first task has started
   */
  const sleeper = async () => {
    const begun = join(folder, `begun-${children}`);
    const program = await childOf(
      `const first = !existsSync(${JSON.stringify(begun)});
       appendFileSync(${JSON.stringify(begun)}, '');
       if (first) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       return { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null, animated: false, parts: null };`,
    );
    return { program, hasBegun: () => eventually('the first task', () => existsSync(begun)) };
  };

  it('measures every supported format in the same child', async () => {
    shared.warm();
    const child = shared.childId;
    for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const) {
      const image = await testImage({ format, width: 60, height: 40, color: '#c83232' });
      const measured = await shared.measure(await fileOf(image));
      expect(measured).toMatchObject({ kind: 'measured', format, width: 60, height: 40 });
    }
    expect(shared.childId).toBe(child);
  });

  it('kills the child of an image that exceeds the timeout, and measures the next one in another child', async () => {
    const { program, hasBegun } = await sleeper();
    const decoder = decoderWith({ program });
    decoder.warm();
    const child = decoder.childId!;
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate'] });
    const overloaded = expect(decoder.measure(any)).rejects.toThrow(/service.overloaded/);
    await hasBegun();
    // The next image waits for less than 4 s
    jest.advanceTimersByTime(timeoutMs - 1_000);
    const next = decoder.measure(any);
    jest.advanceTimersByTime(1_000);
    await overloaded;
    expect(await next).toMatchObject({ kind: 'measured' });
    expect(decoder.childId).not.toBe(child);
    expect(isAlive(child)).toBe(false);
  });

  it('rejects an image that uses too much processor time, and measures the next one in another child', async () => {
    const decoder = decoderWith({ cpuMs: 600 });
    decoder.warm();
    const child = decoder.childId!;
    const reason = 'it takes too long to decode';
    expect(await decoder.measure(await fileOf(manyScansJpeg(100)))).toEqual({ kind: 'not-decoded', reason });
    expect(await decoder.measure(await exampleImage())).toMatchObject({ kind: 'measured' });
    expect(decoder.childId).not.toBe(child);
    expect(isAlive(child)).toBe(false);
  });

  it('rejects the level of a measured image as overload after the timeout', async () => {
    const { program, hasBegun } = await sleeper();
    const decoder = decoderWith({ program });
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate'] });
    const level = decoder.level(any, 128);
    const rejected = expect(level).rejects.toThrow(/service.overloaded/);
    await hasBegun();
    jest.advanceTimersByTime(timeoutMs);
    await rejected;
  });

  it.each(['SIGKILL', 'SIGSEGV'] as const)(
    'measures an image in a second child when %s ends the first one',
    async (signal) => {
      const { program, hasBegun } = await sleeper();
      const decoder = decoderWith({ program });
      const measured = decoder.measure(any);
      await hasBegun();
      const child = decoder.childId!;
      process.kill(child, signal);
      await expect(measured).resolves.toMatchObject({ kind: 'measured' });
      expect(decoder.childId).not.toBe(child);
    },
  );

  it('measures an image just after the idle child was killed', async () => {
    const decoder = decoderWith();
    const image = await exampleImage();
    await decoder.measure(image);
    process.kill(decoder.childId!, 'SIGKILL');
    await expect(decoder.measure(image)).resolves.toMatchObject({ kind: 'measured' });
  });

  it.each([
    ['that kills a second child, and starts no third one', 'SIGSEGV', 'xx'],
    ['for which a child exceeded its memory limit, and starts no second one', 'SIGABRT', 'x'],
  ])('rejects the image %s', async (_what, signal, deaths) => {
    const journal = join(folder, `deaths-${signal}`);
    const program = await childOf(
      `appendFileSync(${JSON.stringify(journal)}, 'x');
       process.kill(process.pid, ${JSON.stringify(signal)});
       return new Promise(() => undefined);`,
    );
    const measured = await decoderWith({ program }).measure(any);
    expect(measured).toEqual({ kind: 'not-decoded', reason: expect.stringMatching(/damaged/) });
    expect(await readFile(journal, 'utf8')).toBe(deaths);
  });

  it('logs the standard error of the child: masked, on one line and limited', async () => {
    const program = await childOf(
      `const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
       writeSync(2, 'WARNING **: it\\'s a bad chunk:\\n"secret of a client" at byte 7\\n');
       sleep(50);
       writeSync(2, 'x'.repeat(60_000));
       for (let i = 0; i < 40; i += 1) { sleep(5); writeSync(2, 'more'); }
       return { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null, animated: false, parts: null };`,
    );
    const warnings: { fields: { stderr: string }; text: string }[] = [];
    const log = { warn: (fields: { stderr: string }, text: string) => void warnings.push({ fields, text }) };
    const decoder = decoderWith({ program, log: log as Pick<Log, 'warn'> });
    await expect(decoder.measure(any)).resolves.toMatchObject({ kind: 'measured' });
    await eventually('the first line', () => warnings.length > 0);
    const [first] = warnings;
    expect(first!.fields).toMatchObject({ child: basename(program.path), pid: decoder.childId });
    expect(first!.fields.stderr).toMatch(/^WARNING \*\*: it's a bad chunk:\\u000a"…" at byte 7/);
    expect(JSON.stringify(warnings)).not.toContain('secret of a client');
    expect(warnings.length).toBeLessThanOrEqual(20);
    for (const { fields } of warnings) expect(fields.stderr.length).toBeLessThanOrEqual(500);
  });

  it('completes a task although SIGTERM and SIGINT were sent to its process group', async () => {
    await shared.measure(await exampleImage());
    const child = shared.childId!;
    const measured = shared.measure(await fileOf(manyScansJpeg(5)));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(child, signal);
    await expect(measured).resolves.toMatchObject({ kind: 'measured', width: 16_384 });
    expect(shared.childId).toBe(child);
  });

  it('does not reject the image that is being decoded on close', async () => {
    const { program, hasBegun } = await sleeper();
    const decoder = decoderWith({ program });
    const measured = decoder.measure(any);
    await hasBegun();
    decoder.onApplicationShutdown();
    await expect(measured).rejects.toThrow(/service.unavailable.*stopping/);
    expect(decoder.childId).toBeUndefined();
  });

  // hostile-images.medium.spec.ts checks that the usual memory limit is enough for this image
  it('rejects the largest allowed image with a lower memory limit, and measures the next one', async () => {
    const limited = decoderWith({ program: { memoryBytes: 200 * 1024 * 1024 } });
    await expect(limited.measure(await fileOf(await flatWebp(7071, 7071)))).resolves.toMatchObject({
      kind: expect.stringMatching(/^(not-decoded|too-large)$/),
    });
    const small = await testImage({ format: 'avif', width: 40, height: 40 });
    await expect(limited.measure(await fileOf(small))).resolves.toMatchObject({ kind: 'measured' });
  });

  it('rejects a bomb of 30000 x 30000 pixels by its header', async () => {
    // The rest of the file is missing
    const header = bombPng(30_000).subarray(0, 100);
    await expect(shared.measure(await fileOf(header))).resolves.toMatchObject({ kind: 'too-large' });
  });

  it('rejects images immediately when too many wait', async () => {
    const image = await exampleImage();
    // Fake timers, so that no waiting image times out
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate'] });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => shared.measure(image)));
    const overloaded = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(overloaded).toHaveLength(11);
    expect(overloaded[0]?.reason).toMatchObject({ kind: { code: 'service.overloaded' } });
  });

  it.each([
    ['an invalid width', `{ ...measured, width: '1' }`],
    ['a reason that is too long', `{ kind: 'too-large', reason: 'x'.repeat(10_000) }`],
    ['another kind', `{ ...measured, kind: 'stored' }`],
    ['invalid parts', `{ ...measured, parts: [{ path: '/etc/passwd' }] }`],
    ['a reply to another task', `(writeSync(3, ${reply(9)}), measured)`],
    ['an invalid frame', `(writeSync(3, Buffer.alloc(64, 255)), measured)`],
  ])('returns not-decoded for %s, because the child may be compromised', async (_, result) => {
    const program = await childOf(
      `const measured = { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null, animated: false, parts: null };
       return ${result};`,
    );
    const decoder = decoderWith({ program });
    expect(await decoder.measure(any)).toMatchObject({
      kind: 'not-decoded',
      reason: expect.stringMatching(/decoder failed/),
    });
  });

  it('terminates a child that replies without a task', async () => {
    const program = await childOf(
      `const later = () => existsSync(${JSON.stringify(join(folder, 'later'))}) ? writeSync(3, ${reply(1)}) : setTimeout(later, 10);
       later();
       return { kind: 'measured', format: 'png', width: 1, height: 1, dominantRgb: null, animated: false, parts: null };`,
    );
    const decoder = decoderWith({ program });
    await decoder.measure(any);
    await writeFile(join(folder, 'later'), '');
    await eventually('the end of its child', () => decoder.childId === undefined);
  });

  it('fails for a level whose number of bytes does not match its pixels', async () => {
    const program = await childOf(`return { edge: 8, width: 8, height: 8, aspect: 1, data: Buffer.alloc(8) };`);
    await expect(decoderWith({ program }).level(any, 8)).rejects.toBeInstanceOf(ChildTerminated);
  });

  it('fails with service.unavailable when the child cannot be started', async () => {
    const path = join(folder, 'stillborn.mjs');
    await writeFile(path, 'process.exit(1)');
    const decoder = decoderWith({ program: { path } });
    await expect(decoder.measure(any)).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
  });

  it('passes none of its environment to the child, whose scripts can read no other files and start no process', async () => {
    const secret = join(folder, 'secret');
    await writeFile(secret, 'hunter2');
    process.env.DATABASE_PASSWORD_OF_TEST = 'hunter2';
    const { path } = await childOf(
      `const { execSync } = await import('node:child_process');
       const outcomeOf = (attempt) => { try { attempt(); return 'done'; } catch ({ code }) { return code; } };
       const files = ['/proc/' + process.ppid + '/environ', '/etc/passwd', ${JSON.stringify(secret)}, ${JSON.stringify(projectPath('docker-compose.yml'))}];
       const read = files.map((file) => outcomeOf(() => readFileSync(file)));
       const reason = [Object.keys(process.env).join('+'), ...read, outcomeOf(() => execSync('true'))].join(' ');
       return { kind: 'not-decoded', reason };`,
    );
    const measured = await decoderWith({ program: { path } }).measure(any);
    delete process.env.DATABASE_PASSWORD_OF_TEST;
    const denied = 'ERR_ACCESS_DENIED';
    expect(measured).toEqual({
      kind: 'not-decoded',
      reason: ['MALLOC_ARENA_MAX', ...Array.from({ length: 5 }, () => denied)].join(' '),
    });
  });

  it('terminates its child on close', async () => {
    const decoder = decoderWith();
    await decoder.measure(await exampleImage());
    const child = decoder.childId!;
    decoder.onApplicationShutdown();
    await eventually('the end of the child', () => !isAlive(child));
    await expect(decoder.measure(any)).rejects.toThrow(/service.unavailable.*stopping/);
  });

  it('has a child that exits immediately when its connection closes during a decode', async () => {
    const [ours, its] = await socketPair();
    const { id, ended } = startConnectedChild(decodeProgram, its, { warn: () => undefined });
    await once(ours, 'data');
    const task = { kind: 'measure', bytes: manyScansJpeg(100), id: 1 };
    for (const part of encodeFrame(task)) ours.write(part);
    const closedAt = performance.now();
    ours.destroy();
    expect(await ended).toBe('died');
    // A regular exit waits until the image is decoded: 13.6 s
    expect(performance.now() - closedAt).toBeLessThan(8_000);
    expect(isAlive(id!)).toBe(false);
  });

  it('decodes levels in a separate child, with the same result as this process', async () => {
    const image = await testImage({ format: 'jpeg', width: 300, height: 200, orientation: 6 });
    const path = await fileOf(image);
    await shared.measure(path);
    const child = shared.childId;
    const level = await shared.level(path, 128);
    const { data, ...facts } = await decodeLevel(image, 128);
    expect(level).toMatchObject(facts);
    expect(Buffer.compare(level.data, data)).toBe(0);
    expect(shared.childId).toBe(child);
  });

  it('fails for a level that cannot be decoded, and decodes the next one', async () => {
    const failing = shared.level(await fileOf(Buffer.from('no image')), 64);
    await expect(failing).rejects.toBeInstanceOf(ChildTerminated);
    await expect(shared.level(await exampleImage(), 32)).resolves.toMatchObject({ edge: 32, width: 8 });
  });
});
