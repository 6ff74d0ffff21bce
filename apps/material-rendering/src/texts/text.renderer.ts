import type { OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import type { Log } from '#observability';
import { BoundedChild, ChildTerminated, rethrowTimeoutAsOverloaded, stopping } from '../children/bounded-child.js';
import { type ChildProgram, startChild } from '#children/child-process.js';
import { renderTextProgram } from '../children/child-programs.js';
import { overloaded } from '../overload.errors.js';
import { sandboxedChild } from '../children/sandbox-child.js';
import { type TextOutline } from '#rendering/text/text-outline.js';
import { Measurement } from '../textures/measurement.schema.js';
import { configureFonts, type FontConfiguration } from './font.files.js';

/** Task of the child process that renders texts. `rgb` is `#rrggbb`. */
export interface TextTask {
  readonly text: string;
  readonly rgb: string;
}

/** Task to outline a text for a print file. */
export interface OutlineTask extends TextTask {
  readonly outlined: true;
}

/** PNG of a text, and its measurement. */
const RenderedText = z.object({ bytes: z.instanceof(Buffer), measurement: Measurement });
export type RenderedText = Readonly<z.infer<typeof RenderedText>>;

const pixels = z.int().positive();
/**
 * Outline of a text; null if it would differ from the image. The path becomes part of a PDF, so it
 * may contain numbers and operators of curves only.
 */
const OutlinedText = z.object({
  outline: z
    .object({
      width: pixels,
      height: pixels,
      path: z.instanceof(Buffer).refine((path) => /^[-0-9. mlch\n]*$/.test(path.toString('latin1'))),
    })
    .nullable(),
});
export type OutlinedText = Readonly<z.infer<typeof OutlinedText>>;

interface TextRendererOptions {
  /** Timeout of one text in milliseconds. */
  readonly timeoutMs: number;
  /** Folder with the sockets of the sandbox. Without it the child is a process of this app. */
  readonly sandbox?: string | undefined;
  /** Program of the child without a sandbox. Tests replace it. */
  readonly program?: Partial<ChildProgram>;
  /** Logs the standard error of a child without a sandbox. Default: dropped. */
  readonly log?: Pick<Log, 'warn'>;
}

// A text takes 0.1 to 0.4 s of processor time, 255 emoji 1.2 s
const defaults: TextRendererOptions = { timeoutMs: 8_000 };

interface OpenChild {
  /** Undefined with a sandbox, which configures its own fonts. */
  readonly fonts: FontConfiguration | undefined;
  readonly child: BoundedChild<TextTask | OutlineTask, RenderedText | OutlinedText>;
}

/**
 * Renders texts in a child process, because fontconfig reads its settings once per process from the
 * environment, and because a crash of the C code that shapes texts of clients must not end this
 * process. One at a time, because Pango has one lock for all threads.
 */
export class TextRenderer implements OnApplicationShutdown {
  private open: OpenChild | undefined;
  private closed = false;

  private readonly options: TextRendererOptions;

  constructor(options: Partial<TextRendererOptions> = {}) {
    this.options = { ...defaults, ...options };
  }

  /**
   * Renders a text, only in the fonts of this project. A child that starts without its
   * configuration, or whose font file is missing, would silently use other fonts. Without a sandbox
   * the written files are therefore checked before and after each text; the sandbox checks its own
   * before it starts a child.
   *
   * @throws DomainError `service.overloaded` when too many texts wait, or the text waits too long
   *   or exceeds the timeout
   * @throws DomainError `service.unavailable` when the child cannot be started, or the renderer is
   *   closed
   * @throws Error when the child ended during the task, its fonts were removed meanwhile (only
   *   noticed without a sandbox), or the font configuration cannot be written
   */
  async render({ text, rgb }: TextTask): Promise<RenderedText> {
    const reply = await this.run({ text, rgb });
    if ('outline' in reply) throw new Error('the child has outlined a text instead of rendering it');
    return reply;
  }

  /**
   * Returns the outline of a text, for print files; null if its image has to be printed, because
   * the outline differs from it or the child ended during the task.
   *
   * @throws as `render`
   */
  async outline({ text, rgb }: TextTask): Promise<TextOutline | null> {
    try {
      const reply = await this.run({ text, rgb, outlined: true });
      if (!('outline' in reply)) throw new Error('the child has rendered a text instead of outlining it');
      return reply.outline && { ...reply.outline, path: reply.outline.path.toString('latin1') };
    } catch (error) {
      if (error instanceof ChildTerminated) return null;
      throw error;
    }
  }

  private async run(task: TextTask | OutlineTask): Promise<RenderedText | OutlinedText> {
    if (this.closed) throw stopping();
    if (this.open?.fonts?.isComplete() === false) this.closeChild();
    this.open ??= openChild(this.options);
    const { fonts, child } = this.open;
    // The longest text takes a quarter of the timeout
    const reply = await child.run(() => task).catch(rethrowTimeoutAsOverloaded('text'));
    if (fonts?.isComplete() === false) throw new Error('the fonts were removed while a text was rendered');
    return reply;
  }

  /** Process id of the running child, for tests. */
  get childId(): number | undefined {
    return this.open?.child.id;
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.closeChild();
  }

  private closeChild(): void {
    this.open?.child.close();
    this.open?.fonts?.remove();
    this.open = undefined;
  }
}

/** Called for a text and not at startup, because many processes never receive a text. */
function openChild({ timeoutMs, sandbox, program, log }: TextRendererOptions): OpenChild {
  const fonts = sandbox === undefined ? configureFonts() : undefined;
  const ownProgram = { ...renderTextProgram, ...(fonts && { env: { FONTCONFIG_FILE: fonts.file } }), ...program };
  const child = new BoundedChild<TextTask | OutlineTask, RenderedText | OutlinedText>({
    start: () => (sandbox === undefined ? startChild(ownProgram, log) : sandboxedChild(sandbox, 'render-text')),
    timeoutMs,
    memoryBytes: ownProgram.memoryBytes,
    reply: z.union([RenderedText, OutlinedText]),
    queue: { maxWaiting: 32, timeoutMs: 8_000, overloaded: () => overloaded('text') },
  });
  return { fonts, child };
}
