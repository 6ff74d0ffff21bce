import { readFile } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '#observability';
import { BoundedChild, ChildTerminated, rethrowTimeoutAsOverloaded } from '../children/bounded-child.js';
import { type ChildProgram, startChild } from '#children/child-process.js';
import { decodeProgram } from '../children/child-programs.js';
import { callerTicket } from '../caller-ticket.js';
import { overloaded } from '../overload.errors.js';
import type { Cut } from '#rendering/print/cut.js';
import type { PyramidLevel } from '#rendering/texture.js';
import { sandboxedChild } from '../children/sandbox-child.js';
import { CutPixels, type CutTask, Level, type LevelTask, Measurement, type MeasureTask } from './measurement.schema.js';

/** Timeout of a print file's artwork: 50 million pixels are scaled and sent in 2 s at best. */
const cutTimeoutMs = 30_000;

interface DecoderOptions {
  /** Timeout of one decode in milliseconds, including the start of the process. */
  readonly timeoutMs: number;
  /** Limit of the processor time of an incoming image in milliseconds. Default: 6 s. */
  readonly cpuMs?: number;
  /** Folder with the sockets of the sandbox. Without it the children are processes of this app. */
  readonly sandbox?: string | undefined;
  /** Program of the children without a sandbox. Tests replace it. */
  readonly program?: Partial<ChildProgram>;
  /** Logs the standard error of children without a sandbox. Default: dropped. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Decodes images of clients in three child processes, each with one image at a time: for incoming
 * images, images to render and print files, so that none delays the others. A child starts when it
 * is needed.
 */
export class TextureDecoder implements OnApplicationShutdown {
  private readonly incoming: BoundedChild<MeasureTask, Measurement>;
  private readonly levels: BoundedChild<LevelTask, PyramidLevel>;
  private readonly cuts: BoundedChild<CutTask, CutPixels>;

  constructor(options: DecoderOptions) {
    const { sandbox, timeoutMs, cpuMs = 6_000, log } = options;
    const program = { ...decodeProgram, ...options.program };
    const child = {
      start: () => (sandbox === undefined ? startChild(program, log) : sandboxedChild(sandbox, 'decode')),
      timeoutMs,
      memoryBytes: program.memoryBytes,
      // For incoming images. The levels of renderings are background work, which is not limited
      queue: { maxWaiting: 8, timeoutMs: 4_000, overloaded: () => overloaded('texture') },
    };
    this.incoming = new BoundedChild({ ...child, reply: Measurement, cpuMs });
    this.levels = new BoundedChild({ ...child, reply: Level });
    this.cuts = new BoundedChild({ ...child, reply: CutPixels, timeoutMs: cutTimeoutMs });
  }

  /** Starts the child for incoming images before the first one arrives. */
  warm(): void {
    this.incoming.warm();
  }

  /**
   * Measures an image. If the child dies, the image is tried once more in a second child: the
   * reason may be another process, most likely one that uses too much memory. If the second child
   * dies too, the image is rejected. An image that exceeded its processor time or the memory limit
   * is rejected without a second try, which would take the same again.
   *
   * @param image path of the file of the image, or its content
   * @param withLevel true to return the level that the image was decoded to
   * @throws DomainError `service.overloaded` when too many images wait, or the image waits too long
   *   or exceeds the timeout, which depends on the load of the machine
   * @throws DomainError `service.unavailable` when the child cannot be started, which does not
   *   depend on the image, or the decoder is closed
   * @throws Error when the file cannot be read
   */
  async measure(image: string | Buffer, withLevel = false): Promise<Measurement> {
    const measure = (): Promise<Measurement> =>
      this.incoming.run(async () => ({
        kind: 'measure',
        withLevel,
        bytes: typeof image === 'string' ? await readFile(image) : image,
      }));
    try {
      return await measure().catch((error: unknown) => {
        if (error instanceof ChildTerminated && error.reason === 'died') return measure();
        throw error;
      });
    } catch (error) {
      if (error instanceof ChildTerminated && error.reason !== 'timed-out')
        return { kind: 'not-decoded', reason: reasonOf(error) };
      return rethrowTimeoutAsOverloaded('texture')(error);
    }
  }

  /**
   * Decodes a level of an image that was measured before.
   *
   * @param path of the file of the image
   * @throws DomainError `service.overloaded` when it takes longer than the timeout
   * @throws DomainError `service.unavailable` when the child cannot be started, or the decoder is
   *   closed
   * @throws ChildTerminated when the child ended otherwise
   * @throws Error when the file cannot be read
   */
  async level(path: string, edge: number): Promise<PyramidLevel> {
    // Background: without limit and timeout, because renderings have permits of their own
    const task = async (): Promise<LevelTask> => ({ kind: 'level', bytes: await readFile(path), edge });
    // The image was decoded when it was stored, so a timeout does not depend on it
    const level = await this.levels.run(task, callerTicket('background')).catch(rethrowTimeoutAsOverloaded('image'));
    return { ...level, edge };
  }

  /**
   * Decodes a part of an image for a print file.
   *
   * @param path of the file of the image
   * @throws the errors of `level`
   */
  async cut(path: string, cut: Cut): Promise<Buffer> {
    const task = async (): Promise<CutTask> => ({ kind: 'cut', bytes: await readFile(path), cut });
    const { data } = await this.cuts.run(task, callerTicket('background')).catch(rethrowTimeoutAsOverloaded('image'));
    // No later code checks it
    if (data.length !== 4 * cut.scaledWidth * cut.scaledHeight) throw new ChildTerminated('died');
    return data;
  }

  onApplicationShutdown(): void {
    this.incoming.close();
    this.levels.close();
    this.cuts.close();
  }

  /** Process id of the running child for incoming images, for tests and logs. */
  get childId(): number | undefined {
    return this.incoming.id;
  }
}

const reasonOf = ({ reason }: ChildTerminated): string =>
  reason === 'cpu-exceeded'
    ? 'it takes too long to decode'
    : 'the decoder failed; the image is damaged or needs too much memory';
