import type { OnApplicationShutdown } from '@nestjs/common';
import { BoundedChild, ChildLost, childPath } from '../bounded-child.js';
import type { Measurement, MeasureOrder } from './measurement.js';

export interface DecoderOptions {
  /** What one decode may take, in milliseconds, start of the process included. */
  readonly timeoutMs: number;
  /** What the data of the process may take, in bytes. Default 900 MB: twice the worst picture within the limits. */
  readonly memoryBytes?: number;
  /** The compiled child. Tests give another one. */
  readonly childPath?: string;
}

/** Measures pictures in a child process, one at a time. */
export class TextureDecoder implements OnApplicationShutdown {
  private readonly child: BoundedChild<MeasureOrder, Measurement>;

  constructor(private readonly options: DecoderOptions) {
    this.child = new BoundedChild({
      path: options.childPath ?? childPath('textures/decode.child.js'),
      timeoutMs: options.timeoutMs,
      memoryBytes: options.memoryBytes ?? 900 * 1024 * 1024,
      gate: { of: 'texture', waiting: 8, patienceMs: 4_000 },
    });
  }

  /** Starts the child before the first picture comes. */
  warm(): void {
    this.child.warm();
  }

  /**
   * @throws DomainError `service.overloaded` when too many pictures wait
   * @throws Error when the child cannot be started: not the picture's fault
   */
  async measure(bytes: Buffer): Promise<Measurement> {
    try {
      return await this.child.ask({ bytes });
    } catch (error) {
      if (error instanceof ChildLost) return { kind: 'not-decoded', reason: this.reasonOf(error) };
      throw error;
    }
  }

  onApplicationShutdown(): void {
    this.child.close();
  }

  /** The child's process id, while there is one: for tests and logs. */
  get childId(): number | undefined {
    return this.child.id;
  }

  private reasonOf({ how }: ChildLost): string {
    return how === 'late'
      ? `it took longer than ${this.options.timeoutMs / 1000} s`
      : 'the decoder gave up; it is damaged or needs too much memory';
  }
}
