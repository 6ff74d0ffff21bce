import type { OnApplicationShutdown } from '@nestjs/common';
import { BoundedChild, ChildLost, childPath } from '../bounded-child.js';
import { Turn } from '../gate.js';
import type { PyramidLevel } from '../pipeline/texture.js';
import type { LevelOrder, Measurement, MeasureOrder } from './measurement.js';

export interface DecoderOptions {
  /** What one decode may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** What the data of each process may take, in bytes. Default 900 MB: twice the worst picture within the limits. */
  readonly memoryBytes?: number;
  /** The compiled child. Tests give another one. */
  readonly childPath?: string;
}

/**
 * Decodes pictures of clients, one at a time, in two child processes: one for pictures that come in and one for those
 * that are drawn, so that uploads hold up nobody who looks at pictures. A child that is not needed does not run.
 */
export class TextureDecoder implements OnApplicationShutdown {
  private readonly incoming: BoundedChild<MeasureOrder, Measurement>;
  private readonly drawn: BoundedChild<LevelOrder, PyramidLevel>;

  constructor(private readonly options: DecoderOptions) {
    const child = {
      path: options.childPath ?? childPath('textures/decode.child.js'),
      timeoutMs: options.timeoutMs,
      memoryBytes: options.memoryBytes ?? 900 * 1024 * 1024,
      // Of incoming pictures; those who draw wait patiently
      gate: { of: 'texture', waiting: 8, patienceMs: 4_000 },
    };
    this.incoming = new BoundedChild(child);
    this.drawn = new BoundedChild(child);
  }

  /** Starts the child for incoming pictures before the first one comes. */
  warm(): void {
    this.incoming.warm();
  }

  /**
   * A child may be killed for what is not the picture's fault, above all when memory runs out elsewhere: only the picture
   * that a second one dies of is to blame.
   *
   * @param path of its file
   * @throws DomainError `service.overloaded` when too many pictures wait
   * @throws Error when the child cannot be started or is closed: not the picture's fault
   */
  async measure(path: string): Promise<Measurement> {
    const measure = (): Promise<Measurement> => this.incoming.ask({ kind: 'measure', path });
    try {
      return await measure().catch((error: unknown) => {
        if (error instanceof ChildLost && error.how === 'died') return measure();
        throw error;
      });
    } catch (error) {
      if (error instanceof ChildLost) return { kind: 'not-decoded', reason: this.reasonOf(error) };
      throw error;
    }
  }

  /**
   * A level of a picture that was measured before.
   *
   * @param path of its file
   * @throws ChildLost when the picture cannot be decoded within the limits any more
   */
  level(path: string, edge: number): Promise<PyramidLevel> {
    // Whoever draws holds a place of its own, and background work waits as long as it takes
    return this.drawn.ask({ kind: 'level', path, edge }, new Turn('patient'));
  }

  onApplicationShutdown(): void {
    this.incoming.close();
    this.drawn.close();
  }

  /** The process id of the child for incoming pictures, while there is one: for tests and logs. */
  get childId(): number | undefined {
    return this.incoming.id;
  }

  private reasonOf({ how }: ChildLost): string {
    return how === 'late'
      ? `it took longer than ${this.options.timeoutMs / 1000} s`
      : 'the decoder gave up; it is damaged or needs too much memory';
  }
}
