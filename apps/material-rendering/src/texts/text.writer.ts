import type { OnApplicationShutdown } from '@nestjs/common';
import { BoundedChild, childPath } from '../bounded-child.js';
import type { Measurement } from '../textures/measurement.js';
import { configureFonts, type FontConfiguration } from './fonts.js';

/** What goes to the writing child process. `rgb` is `#rrggbb`. */
export interface WriteOrder {
  readonly text: string;
  readonly rgb: string;
}

/** A PNG and its facts. */
export interface Written {
  readonly bytes: Uint8Array;
  readonly measurement: Measurement;
}

/** A text takes a third of a second, the first one of a process, and hundreds of emoji, twice that. */
const timeoutMs = 8_000;
const memoryBytes = 600 * 1024 * 1024;

/**
 * Draws texts in a child process, one at a time: fontconfig reads its settings once and from the environment, Pango has
 * one lock for all threads, and what clients write goes through shapers and font programs in C.
 */
export class TextWriter implements OnApplicationShutdown {
  private open: { readonly fonts: FontConfiguration; readonly child: BoundedChild<WriteOrder, Written> } | undefined;
  private closed = false;

  /**
   * @throws DomainError `service.overloaded` when too many texts wait
   * @throws Error when the child is lost or cannot be started: our fault, whatever the text is
   */
  write(order: WriteOrder): Promise<Written> {
    if (this.closed) return Promise.reject(new Error('the writer is closed'));
    this.open ??= openChild();
    return this.open.child.ask(order);
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.open?.child.close();
    this.open?.fonts.remove();
  }
}

/** On the first text: many processes never see one. */
function openChild() {
  const fonts = configureFonts();
  const child = new BoundedChild<WriteOrder, Written>({
    path: childPath('texts/write.child.js'),
    timeoutMs,
    memoryBytes,
    env: { FONTCONFIG_FILE: fonts.file },
    gate: { of: 'text', waiting: 32, patienceMs: 8_000 },
  });
  return { fonts, child };
}
