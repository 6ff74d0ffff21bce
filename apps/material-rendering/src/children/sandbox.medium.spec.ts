import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import { encodeFrame, type FrameMessage, FrameReader } from './child-frames.js';
import { childPath } from './child-process.js';
import { decodeLevel } from '../pipeline/level.js';
import { sandboxedChild } from './sandbox-child.js';
import { TextRenderer } from '../texts/text.renderer.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { testImage } from '../textures/testing/test-images.js';
import { manyScansJpeg } from '../textures/testing/jpeg.js';

describe('the sandbox', () => {
  let folder: string;
  let sandbox: ChildProcess;
  let decoder: TextureDecoder;
  let [fonts, small, slow] = ['', '', ''];

  const start = async (): Promise<void> => {
    sandbox = spawn(process.execPath, [childPath('sandbox.js')], {
      env: { SANDBOX_FOLDER: folder, TMPDIR: fonts, LOG_LEVEL: 'silent', SECRET_OF_TEST: 'hunter2' },
      stdio: 'inherit',
    });
    await eventually('the socket for probes', async () => {
      const probe = connect(join(folder, 'health.sock'));
      return once(probe, 'connect').then(
        () => (probe.destroy(), true),
        () => false,
      );
    });
  };
  const stop = async (): Promise<void> => {
    const ended = once(sandbox, 'exit');
    sandbox.kill();
    expect(await ended).toEqual([0, null]);
  };
  const childIds = async (): Promise<number[]> => {
    const ids = await readFile(`/proc/${sandbox.pid}/task/${sandbox.pid}/children`, 'utf8');
    return ids.trim().split(' ').filter(Boolean).map(Number);
  };
  const own = (timeoutMs: number): TextureDecoder => new TextureDecoder({ timeoutMs, sandbox: folder });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    [fonts, small, slow] = [join(folder, 'fonts'), join(folder, 'small'), join(folder, 'slow')];
    await mkdir(fonts);
    await writeFile(small, await testImage({ format: 'jpeg', width: 300, height: 200, orientation: 6 }));
    await writeFile(slow, manyScansJpeg(100));
    await start();
  });

  beforeEach(() => (decoder = own(60_000)));
  afterEach(async () => {
    decoder.onApplicationShutdown();
    await eventually('the end of its processes', async () => (await childIds()).length === 0);
  });
  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  it('measures, decodes and writes as a process beside the app does, in processes of its own', async () => {
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured', width: 200, height: 300 });
    const { data, ...facts } = await decodeLevel(await readFile(small), 128);
    const level = await decoder.level(small, 128);
    expect(level).toMatchObject(facts);
    expect(Buffer.compare(level.data, data)).toBe(0);
    const writers = [undefined, folder].map((sandbox) => new TextRenderer({ timeoutMs: 60_000, sandbox }));
    const texts = await Promise.all(writers.map((it) => it.write({ text: 'สวัสดี 漢字 🙂', rgb: '#be1e2d' })));
    expect(Buffer.compare(texts[0]!.bytes, texts[1]!.bytes)).toBe(0);
    // For images that come in, for those that are drawn, and for texts
    expect(await childIds()).toHaveLength(3);
    for (const writer of writers) writer.onApplicationShutdown();
  });

  it('gives its processes nothing of its environment, and ends those whose caller has disconnected', async () => {
    await decoder.measure(small);
    const [child] = await childIds();
    expect(await readFile(`/proc/${child}/environ`, 'utf8')).toBe('MALLOC_ARENA_MAX=2\0');
    decoder.onApplicationShutdown();
    await eventually('the end of its process', async () => (await childIds()).length === 0);
  });

  it('ends the process of an image that takes too long, and has another one for the next', async () => {
    const impatient = own(10_000);
    // A process that is stopped takes longer than any image
    await expect(impatient.measure(small)).resolves.toMatchObject({ kind: 'measured' });
    const [first] = await childIds();
    process.kill(first!, 'SIGSTOP');
    await expect(impatient.measure(small)).resolves.toMatchObject({ reason: 'it took longer than 10 s' });
    await eventually('the end of its process', async () => !(await childIds()).includes(first!));
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
    impatient.onApplicationShutdown();
  });

  it.each([
    ['SIGABRT', 'as at its memory limit, and asks no second one', 0],
    ['SIGKILL', 'and asks a second one', 1],
  ] as const)('reports that %s ended a process, %s', async (signal, _what, more) => {
    const ended = new Set<number>();
    const measured = decoder.measure(slow);
    for (let round = 0; round <= more; round += 1) {
      const working = await eventually('a process that has read the image', async () => {
        const child = (await childIds()).find((id) => !ended.has(id));
        const status = child === undefined ? '' : await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
        // The coefficients of this image take 96 MB; a process without an image has up to 90
        return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) > 130_000 && child;
      });
      ended.add(working);
      process.kill(working, signal);
    }
    await expect(measured).resolves.toMatchObject({ kind: 'not-decoded', reason: expect.stringMatching(/damaged/) });
  });

  it('ends a process that hangs before it has read its order, when the caller has gone', async () => {
    const child = sandboxedChild(folder, 'decode');
    await new Promise<void>((resolve) => child.receive(() => resolve()));
    const [id] = await childIds();
    process.kill(id!, 'SIGSTOP');
    child.send({ bytes: Buffer.alloc(20 * 1024 * 1024) });
    // Meanwhile as much of it is on its way as fits
    await decoder.measure(small);
    child.kill();
    await eventually('its end', async () => !(await childIds()).includes(id!));
    expect(await child.ended).toBe('died');
  });

  it('closes both connections when it cannot start a process', async () => {
    await rename(fonts, `${fonts}-away`);
    const control = connect(join(folder, 'write.sock'));
    const reader = new FrameReader();
    const news = await new Promise<FrameMessage>((resolve) => {
      control.on('data', (piece) => [...reader.read(piece)].forEach(resolve));
    });
    const stream = connect(join(folder, String(news.socket))).resume();
    await Promise.all([control, stream].map((it) => once(it, 'close')));
    await rename(`${fonts}-away`, fonts);
  });

  it('goes on when it cannot listen for a process', async () => {
    await rename(folder, `${folder}-away`);
    await once(connect(join(`${folder}-away`, 'decode.sock')).resume(), 'close');
    await rename(`${folder}-away`, folder);
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
  });

  it('is unavailable, and the image not to blame, when the connection to a process fails', async () => {
    const away = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const server = createServer((control) => {
      control.on('error', () => undefined).resume();
      for (const part of encodeFrame({ socket: 'missing.sock' })) control.write(part);
    });
    await once(server.listen(join(away, 'decode.sock')), 'listening');
    const lost = new TextureDecoder({ timeoutMs: 10_000, sandbox: away });
    await expect(lost.measure(small)).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
    lost.onApplicationShutdown();
    server.close();
    await rm(away, { recursive: true });
  });

  it('has not said that a process aborted when it ends in the middle of a reply, whatever its last byte', async () => {
    const own = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const connections: Socket[] = [];
    const servers: Server[] = [];
    const serverAt = (name: string, serve: (socket: Socket) => void) => {
      const server = createServer(serve).on('connection', (socket) => connections.push(socket));
      servers.push(server);
      return once(server.listen(join(own, name)), 'listening');
    };
    await serverAt('x.sock', (socket) => {
      socket.write(Buffer.of(9, 0, 0, 0, 0, 0, 0, 1));
    });
    await serverAt('decode.sock', (socket) => {
      for (const part of encodeFrame({ socket: 'x.sock' })) socket.write(part);
    });
    const child = sandboxedChild(own, 'decode');
    await new Promise<void>((resolve) => child.receive(() => resolve()));
    for (const socket of connections) socket.destroy();
    for (const server of servers) server.close();
    expect(await child.ended).toBe('died');
    await rm(own, { recursive: true });
  });

  it('is unavailable while it is away, and used when it is back', async () => {
    await decoder.measure(small);
    await stop();
    await expect(decoder.measure(small)).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
    await start();
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
  });
});
