import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Texture } from '#contracts';
import { BlobStore } from '#storage';
import { rejectLate } from '../late-request.limiter.js';
import { failureOf, renderingMetrics } from '../rendering.metrics.js';
import { TextureStore } from '../textures/texture.store.js';
import { Coverage } from './font-coverage.files.js';
import { blankText, notPrintable } from './text.errors.js';
import { TextRenderer, type WriteOrder } from './text.renderer.js';
import { charactersOf, printableText } from './text.rules.js';

/** Makes textures of texts. */
@Injectable()
export class TextService {
  private coverage: Promise<Coverage> | undefined;

  constructor(
    private readonly writer: TextRenderer,
    private readonly blobs: BlobStore,
    private readonly textures: TextureStore,
  ) {}

  /**
   * Draws a text and stores the image under the hash of its bytes, as if a client had sent it. The same text in the
   * same colour is the same texture.
   *
   * @throws DomainError `text.blank`, `text.not-printable`, `service.overloaded`, `service.no-answer`
   */
  async write({ userId, ...order }: WriteOrder & { readonly userId: number }): Promise<Texture> {
    const { texts } = renderingMetrics();
    try {
      const texture = await this.drawn(userId, order);
      texts.inc({ outcome: 'written' });
      return texture;
    } catch (error) {
      texts.inc({ outcome: failureOf(error) });
      throw error;
    }
  }

  private async drawn(userId: number, { text, rgb }: WriteOrder): Promise<Texture> {
    const printable = printableText(text);
    if (printable === null) throw blankText();
    const missing = await this.uncovered(printable);
    if (missing.length > 0) throw notPrintable(missing);
    rejectLate();
    const { bytes, measurement } = await this.writer.write({ text: printable, rgb });
    if (measurement.kind !== 'measured') throw new Error(`our own image of a text was refused: ${measurement.reason}`);
    const { width, height, dominantRgb } = measurement;
    // A glyph may be empty: some spaces are no space to Unicode
    if (dominantRgb === null) throw blankText();
    const hash = createHash('sha256').update(bytes).digest('hex');
    const texture: Texture = { hash, format: 'png', width, height, bytes: bytes.length, dominantRgb };
    rejectLate();
    const put = (key: string): Promise<void> => this.blobs.put(key, bytes);
    await this.textures.add(userId, [{ texture, isStored: false, lost: null, put }]);
    return texture;
  }

  private async uncovered(text: string): Promise<string[]> {
    this.coverage ??= Coverage.ofFonts();
    const coverage = await this.coverage;
    return charactersOf(text).filter((character) => !coverage.has(character));
  }
}
