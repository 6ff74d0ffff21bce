import { readFile } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '#observability';
import { BoundedChild, ChildTerminated } from '../children/bounded-child.js';
import { type ChildProgram, startChild } from '../children/child-process.js';
import { decodeProgram } from '../children/child-programs.js';
import { callerTicket } from '../caller-ticket.limiter.js';
import { overloaded } from '../overload.errors.js';
import type { PyramidLevel } from '../pipeline/texture.js';
import { sandboxedChild } from '../children/sandbox-child.js';
import { Level, type LevelTask, Measurement, type MeasureTask } from './measurement.schema.js';

interface DecoderOptions {
  /** What one decode may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** The folder of the sandbox's sockets; without it the processes run beside this one. */
  readonly sandbox?: string | undefined;
  /** What is run beside this process. Tests give another one. */
  readonly program?: Partial<ChildProgram>;
  /** Gets what the children beside this process write to their standard error. Default: dropped. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Decodes images of clients, one at a time, in two child processes: one for images that come in and
 * one for those that are drawn, so that uploads hold up nobody who looks at images. A child that is
 * not needed does not run.
 */
export class TextureDecoder implements OnApplicationShutdown {
  private readonly incoming: BoundedChild<MeasureTask, Measurement>;
  private readonly drawn: BoundedChild<LevelTask, PyramidLevel>;

  constructor(private readonly options: DecoderOptions) {
    const { sandbox, timeoutMs, log } = options;
    const program = { ...decodeProgram, ...options.program };
    const child = {
      start: () => (sandbox === undefined ? startChild(program, log) : sandboxedChild(sandbox, 'decode')),
      timeoutMs,
      memoryBytes: program.memoryBytes,
      // Of incoming images; those who draw wait patiently
      queue: { maxWaiting: 8, timeoutMs: 4_000, overloaded: () => overloaded('texture') },
    };
    this.incoming = new BoundedChild({ ...child, reply: Measurement });
    this.drawn = new BoundedChild({ ...child, reply: Level });
  }

  /** Starts the child for incoming images before the first one comes. */
  warm(): void {
    this.incoming.warm();
  }

  /**
   * A child may be killed for what is not the image's fault, above all when memory runs out
   * elsewhere: only the image that a second one dies of is to blame. A child that aborted for want
   * of memory within its own limit would do so again, and take all of that memory a second time.
   *
   * @param path of its file
   * @throws DomainError `service.overloaded` when too many images wait
   * @throws DomainError `service.unavailable` when the child cannot be started: not the image's
   *   fault
   * @throws Error when it is closed, or the file cannot be read
   */
  async measure(path: string): Promise<Measurement> {
    const measure = (): Promise<Measurement> =>
      this.incoming.run(async () => ({ kind: 'measure', bytes: await readFile(path) }));
    try {
      return await measure().catch((error: unknown) => {
        if (error instanceof ChildTerminated && error.reason === 'died') return measure();
        throw error;
      });
    } catch (error) {
      if (error instanceof ChildTerminated) return { kind: 'not-decoded', reason: this.reasonOf(error) };
      throw error;
    }
  }

  /**
   * A level of an image that was measured before.
   *
   * @param path of its file
   * @throws ChildTerminated when the image cannot be decoded within the limits any more
   */
  async level(path: string, edge: number): Promise<PyramidLevel> {
    // A drawing has a permit of its own, and background work waits as long as it takes
    const order = async (): Promise<LevelTask> => ({ kind: 'level', bytes: await readFile(path), edge });
    return { ...(await this.drawn.run(order, callerTicket('background'))), edge };
  }

  onApplicationShutdown(): void {
    this.incoming.close();
    this.drawn.close();
  }

  /** The process id of the child for incoming images, while there is one: for tests and logs. */
  get childId(): number | undefined {
    return this.incoming.id;
  }

  private reasonOf({ reason }: ChildTerminated): string {
    return reason === 'timed-out'
      ? `it took longer than ${this.options.timeoutMs / 1000} s`
      : 'the decoder gave up; it is damaged or needs too much memory';
  }
}
