import { sharp } from '#images';
import { drawLabel } from './label.js';

type Rgb = readonly [red: number, green: number, blue: number];

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Opaque pixels of three bytes. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

/** White image of rectangles, images and labels, which are cut off at its edges. */
export class Canvas {
  private readonly data: Buffer;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.data = Buffer.alloc(3 * width * height, 255);
  }

  /** Fills the pixels whose centres are in a rectangle. */
  rectangle({ x, y, width, height }: Rectangle, [red, green, blue]: Rgb): void {
    const [left, right] = [Math.max(0, Math.round(x)), Math.min(this.width, Math.round(x + width))];
    const [top, bottom] = [Math.max(0, Math.round(y)), Math.min(this.height, Math.round(y + height))];
    for (let row = top; row < bottom; row++)
      for (let at = 3 * (row * this.width + left); at < 3 * (row * this.width + right); at += 3) {
        this.data[at] = red;
        this.data[at + 1] = green;
        this.data[at + 2] = blue;
      }
  }

  image(x: number, y: number, { width, height, data }: Pixels): void {
    const columns = Math.min(width, this.width - x);
    for (let row = 0; row < Math.min(height, this.height - y); row++)
      data.copy(this.data, 3 * ((y + row) * this.width + x), 3 * row * width, 3 * (row * width + columns));
  }

  /**
   * Writes a line of text.
   *
   * @param em font size in pixels
   * @returns the column behind the text
   */
  label(text: string, { x, y, em, rgb, maxWidth }: LabelOptions): number {
    const left = Math.round(x);
    const label = drawLabel(text, em, Math.max(1, Math.min(maxWidth ?? Infinity, this.width - left)));
    let row = Math.round(y) - label.baseline;
    for (const coverage of label.rows) {
      if (row >= 0 && row < this.height)
        coverage.forEach((part, column) => this.mix(3 * (row * this.width + left + column), rgb, part));
      row += 1;
    }
    return left + label.width;
  }

  /** Encodes the image as PNG, or as JPEG. */
  encode(format: 'png' | 'jpg'): Promise<Buffer> {
    const image = sharp(this.data, { raw: { width: this.width, height: this.height, channels: 3 } });
    const encoded = format === 'png' ? image.png({ compressionLevel: 6 }) : image.jpeg({ quality: 90 });
    return encoded.toBuffer();
  }

  private mix(at: number, rgb: Rgb, part: number): void {
    if (part === 0) return;
    for (let channel = 0; channel < 3; channel++) {
      const below = this.data[at + channel]!;
      this.data[at + channel] = Math.round(below + (rgb[channel]! - below) * part);
    }
  }
}

interface LabelOptions {
  readonly x: number;
  /** Row of the baseline. */
  readonly y: number;
  /** Font size in pixels. */
  readonly em: number;
  readonly rgb: Rgb;
  /** Pixels at which the text is cut off. Default: the edge of the image. */
  readonly maxWidth?: number;
}
