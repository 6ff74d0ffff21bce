import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Texture } from '#contracts';
import { BlobStore } from '#storage';
import { rejectLate } from '../late-request.js';
import { failureLabel, renderingMetrics } from '#rendering/rendering.metrics.js';
import { TextureStore } from '../textures/texture.store.js';
import { Coverage } from './font-coverage.files.js';
import { blankText, notPrintable } from './text.errors.js';
import { TextRenderer, type TextTask } from './text.renderer.js';
import { charactersOf, printableText } from './text.rules.js';

/** Renders texts as textures. */
@Injectable()
export class TextService {
  private coverage: Promise<Coverage> | undefined;

  constructor(
    private readonly renderer: TextRenderer,
    private readonly blobs: BlobStore,
    private readonly textures: TextureStore,
  ) {}

  /**
   * Renders a text and stores the image as a texture, which the hash of its bytes identifies, like
   * an uploaded image. The same text in the same color is the same texture.
   *
   * @throws DomainError `text.blank`, `text.not-printable`, `texture.quota-exceeded`,
   *   `user.not-found`, `service.overloaded`, `service.unavailable`, `service.no-answer`
   */
  async render({ userId, ...task }: TextTask & { readonly userId: number }): Promise<Texture> {
    const { texts } = renderingMetrics();
    try {
      const texture = await this.renderAndStore(userId, task);
      texts.inc({ outcome: 'rendered' });
      return texture;
    } catch (error) {
      texts.inc({ outcome: failureLabel(error) });
      throw error;
    }
  }

  private async renderAndStore(userId: number, { text, rgb }: TextTask): Promise<Texture> {
    const printable = printableText(text);
    if (printable === null) throw blankText();
    const missing = await this.uncovered(printable);
    if (missing.length > 0) throw notPrintable(missing);
    rejectLate();
    const task = { text: printable, rgb };
    const { bytes, measurement } = await this.renderer.render(task);
    if (measurement.kind !== 'measured')
      throw new Error(`the image of a rendered text was rejected: ${measurement.reason}`);
    const { width, height, dominantRgb } = measurement;
    // A glyph may be empty: Unicode does not classify all blank characters as spaces
    if (dominantRgb === null) throw blankText();
    const hash = createHash('sha256').update(bytes).digest('hex');
    const texture: Texture = { hash, format: 'png', width, height, bytes: bytes.length, dominantRgb };
    rejectLate();
    const put = (key: string): Promise<void> => this.blobs.put(key, bytes);
    await this.textures.add(userId, [{ texture, isStored: false, lost: null, text: task, put }]);
    return texture;
  }

  private async uncovered(text: string): Promise<string[]> {
    this.coverage ??= Coverage.ofFonts();
    const coverage = await this.coverage;
    return charactersOf(text).filter((character) => !coverage.has(character));
  }
}
