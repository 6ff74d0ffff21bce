import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import { encodeFrame, type FrameMessage, FrameReader } from '#children/child-frames.js';
import { childPath } from './child-programs.js';
import { decodeLevel } from '#rendering/level.js';
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
  const decoderWith = (timeoutMs: number): TextureDecoder => new TextureDecoder({ timeoutMs, sandbox: folder });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    [fonts, small, slow] = [join(folder, 'fonts'), join(folder, 'small'), join(folder, 'slow')];
    await mkdir(fonts);
    await writeFile(small, await testImage({ format: 'jpeg', width: 300, height: 200, orientation: 6 }));
    await writeFile(slow, manyScansJpeg(100));
    await start();
  });

  beforeEach(() => (decoder = decoderWith(60_000)));
  afterEach(async () => {
    decoder.onApplicationShutdown();
    await eventually('the exit of its processes', async () => (await childIds()).length === 0);
  });
  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  it('returns the same results as child processes of the app, from processes of the sandbox', async () => {
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured', width: 200, height: 300 });
    const { data, ...facts } = await decodeLevel(await readFile(small), 128);
    const level = await decoder.level(small, 128);
    expect(level).toMatchObject(facts);
    expect(Buffer.compare(level.data, data)).toBe(0);
    const renderers = [undefined, folder].map((sandbox) => new TextRenderer({ timeoutMs: 60_000, sandbox }));
    const texts = await Promise.all(renderers.map((it) => it.render({ text: 'สวัสดี 漢字 🙂', rgb: '#be1e2d' })));
    expect(Buffer.compare(texts[0]!.bytes, texts[1]!.bytes)).toBe(0);
    // One each for incoming images, images to render, and texts
    expect(await childIds()).toHaveLength(3);
    for (const renderer of renderers) renderer.onApplicationShutdown();
  });

  it('passes none of its environment to its processes, and ends those whose caller has disconnected', async () => {
    await decoder.measure(small);
    const [child] = await childIds();
    expect(await readFile(`/proc/${child}/environ`, 'utf8')).toBe('MALLOC_ARENA_MAX=2\0');
    decoder.onApplicationShutdown();
    await eventually('the exit of the process', async () => (await childIds()).length === 0);
  });

  it('ends the process of an image that exceeds the timeout, and starts another one for the next', async () => {
    const shortTimeout = decoderWith(10_000);
    // A process that is stopped by SIGSTOP exceeds every timeout
    await expect(shortTimeout.measure(small)).resolves.toMatchObject({ kind: 'measured' });
    const [first] = await childIds();
    process.kill(first!, 'SIGSTOP');
    await expect(shortTimeout.measure(small)).rejects.toThrow(/service.overloaded/);
    await eventually('the exit of the process', async () => !(await childIds()).includes(first!));
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
    shortTimeout.onApplicationShutdown();
  });

  it('rejects an image that uses too much processor time', async () => {
    const limited = new TextureDecoder({ timeoutMs: 60_000, cpuMs: 1, sandbox: folder });
    const reason = 'it takes too long to decode';
    expect(await limited.measure(slow)).toEqual({ kind: 'not-decoded', reason });
    limited.onApplicationShutdown();
  });

  it.each([
    ['SIGABRT', 'like the memory limit: no retry', 0],
    ['SIGKILL', 'with one retry', 1],
  ] as const)('rejects the image when %s ends its process, %s', async (signal, _what, retries) => {
    const ended = new Set<number>();
    const measured = decoder.measure(slow);
    for (let attempt = 0; attempt <= retries; attempt += 1) {
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

  it('ends a process that hangs before it has read its task, when the caller disconnects', async () => {
    const child = sandboxedChild(folder, 'decode');
    await new Promise<void>((resolve) => child.receive(() => resolve()));
    const [id] = await childIds();
    process.kill(id!, 'SIGSTOP');
    child.send({ bytes: Buffer.alloc(20 * 1024 * 1024) });
    // Gives the socket time to buffer as many bytes as it can
    await decoder.measure(small);
    child.kill();
    await eventually('the exit of the process', async () => !(await childIds()).includes(id!));
    expect(await child.ended).toBe('died');
  });

  it('closes both connections when it cannot start a process', async () => {
    await rename(fonts, `${fonts}-away`);
    const control = connect(join(folder, 'render-text.sock'));
    const reader = new FrameReader();
    const status = await new Promise<FrameMessage>((resolve) => {
      control.on('data', (chunk) => [...reader.read(chunk)].forEach(resolve));
    });
    const stream = connect(join(folder, String(status.socket))).resume();
    await Promise.all([control, stream].map((it) => once(it, 'close')));
    await rename(`${fonts}-away`, fonts);
  });

  it('continues when it cannot open the socket of a process', async () => {
    await rename(folder, `${folder}-away`);
    await once(connect(join(`${folder}-away`, 'decode.sock')).resume(), 'close');
    await rename(`${folder}-away`, folder);
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
  });

  it('rejects with service.unavailable when the connection to a process fails', async () => {
    const fakeSandbox = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const server = createServer((control) => {
      control.on('error', () => undefined).resume();
      for (const part of encodeFrame({ socket: 'missing.sock' })) control.write(part);
    });
    await once(server.listen(join(fakeSandbox, 'decode.sock')), 'listening');
    const failing = new TextureDecoder({ timeoutMs: 10_000, sandbox: fakeSandbox });
    await expect(failing.measure(small)).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
    failing.onApplicationShutdown();
    server.close();
    await rm(fakeSandbox, { recursive: true });
  });

  it('reports a process that ends in the middle of a reply as died, not as aborted', async () => {
    const fakeSandbox = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const connections: Socket[] = [];
    const servers: Server[] = [];
    const serverAt = (name: string, serve: (socket: Socket) => void) => {
      const server = createServer(serve).on('connection', (socket) => connections.push(socket));
      servers.push(server);
      return once(server.listen(join(fakeSandbox, name)), 'listening');
    };
    await serverAt('x.sock', (socket) => {
      socket.write(Buffer.of(9, 0, 0, 0, 0, 0, 0, 1));
    });
    await serverAt('decode.sock', (socket) => {
      for (const part of encodeFrame({ socket: 'x.sock' })) socket.write(part);
    });
    const child = sandboxedChild(fakeSandbox, 'decode');
    await new Promise<void>((resolve) => child.receive(() => resolve()));
    for (const socket of connections) socket.destroy();
    for (const server of servers) server.close();
    expect(await child.ended).toBe('died');
    await rm(fakeSandbox, { recursive: true });
  });

  it('causes service.unavailable while it is stopped, and is used again after a restart', async () => {
    await decoder.measure(small);
    await stop();
    await expect(decoder.measure(small)).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
    await start();
    await expect(decoder.measure(small)).resolves.toMatchObject({ kind: 'measured' });
  });
});
