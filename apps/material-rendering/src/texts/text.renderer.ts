import type { OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import type { Log } from '#observability';
import { BoundedChild, ChildLost } from '../children/bounded-child.js';
import { type ChildProgram, startChild } from '../children/child-process.js';
import { writeProgram } from '../children/child-programs.js';
import { overloaded } from '../overload.errors.js';
import { sandboxedChild } from '../children/sandbox-child.js';
import { Measurement } from '../textures/measurement.schema.js';
import { configureFonts, type FontConfiguration } from './font.files.js';

/** What goes to the writing child process. `rgb` is `#rrggbb`. */
export interface WriteOrder {
  readonly text: string;
  readonly rgb: string;
}

/** A PNG and its facts. */
const Written = z.object({ bytes: z.instanceof(Buffer), measurement: Measurement });
export type Written = Readonly<z.infer<typeof Written>>;

interface TextRendererOptions {
  /** What one text may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The folder of the sandbox's sockets; without it the process runs beside this one. */
  readonly sandbox?: string | undefined;
  /** What is run beside this process. Tests give another one. */
  readonly program?: Partial<ChildProgram>;
  /** Gets what a child beside this process writes to its standard error. Default: dropped. */
  readonly log?: Pick<Log, 'warn'>;
}

// A text takes 0.1 to 0.4 s of processor time, 255 emoji 1.2 s
const defaults: TextRendererOptions = { timeoutMs: 8_000 };

interface Opened {
  /** The sandbox sees to its own. */
  readonly fonts: FontConfiguration | undefined;
  readonly child: BoundedChild<WriteOrder, Written>;
}

/**
 * Draws texts in a child process, one at a time: fontconfig reads its settings once and from the environment, Pango has
 * one lock for all threads, and what clients write goes through shapers and font programs in C.
 */
export class TextRenderer implements OnApplicationShutdown {
  private open: Opened | undefined;
  private closed = false;

  private readonly options: TextRendererOptions;

  constructor(options: Partial<TextRendererOptions> = {}) {
    this.options = { ...defaults, ...options };
  }

  /**
   * Never draws in other fonts than ours: a child that starts without its configuration, or opens a font that is gone,
   * would take what there is and say nothing.
   *
   * @throws DomainError `service.overloaded` when too many texts wait, or one took four times as long as the longest may
   * @throws Error when the child died or cannot be started, or its fonts are gone: our fault, whatever the text is
   */
  async write(order: WriteOrder): Promise<Written> {
    if (this.closed) throw new Error('the writer is closed');
    if (this.open?.fonts?.isComplete() === false) this.end();
    this.open ??= openChild(this.options);
    const { fonts, child } = this.open;
    const written = await child.ask(() => order).catch(refuseWhenLate);
    if (fonts?.isComplete() === false) throw new Error('the fonts were removed while a text was drawn');
    return written;
  }

  /** The process id of the child, while there is one: for tests. */
  get childId(): number | undefined {
    return this.open?.child.id;
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.end();
  }

  private end(): void {
    this.open?.child.close();
    this.open?.fonts?.remove();
    this.open = undefined;
  }
}

/** How long a text takes is the machine's doing: one without time for it refuses what it cannot do now. */
function refuseWhenLate(error: unknown): never {
  throw error instanceof ChildLost && error.how === 'late' ? overloaded('text') : error;
}

/** On the first text: many processes never see one. */
function openChild({ timeoutMs, sandbox, program, log }: TextRendererOptions): Opened {
  const fonts = sandbox === undefined ? configureFonts() : undefined;
  const beside = { ...writeProgram, ...(fonts && { env: { FONTCONFIG_FILE: fonts.file } }), ...program };
  const child = new BoundedChild<WriteOrder, Written>({
    start: () => (sandbox === undefined ? startChild(beside, log) : sandboxedChild(sandbox, 'write')),
    timeoutMs,
    memoryBytes: beside.memoryBytes,
    reply: Written,
    queue: { maxWaiting: 32, timeoutMs: 8_000, overloaded: () => overloaded('text') },
  });
  return { fonts, child };
}
