import { latin1, uint16 } from './bytes.js';

/** Writer for LZW codes of growing size, the first one in the lowest bits, as in a GIF. */
class CodeWriter {
  private readonly bytes: number[] = [];
  private held = 0;
  private bits = 0;

  add(code: number, size: number): void {
    this.held |= code << this.bits;
    for (this.bits += size; this.bits >= 8; this.bits -= 8) {
      this.bytes.push(this.held & 255);
      this.held >>>= 8;
    }
  }

  end(): Buffer {
    return Buffer.from([...this.bytes, this.held & 255]);
  }
}

/**
 * Returns the LZW data of pixels of one color, from a palette of four. Each code covers one pixel
 * more than the code before. 16 megapixels need 12 kB.
 */
function packedRun(color: number, pixels: number): Buffer {
  const [clear, end, first, last] = [4, 5, 6, 4095];
  const codes = new CodeWriter();
  let next = first;
  let left = pixels - 1;
  const size = (): number => Math.min(12, Math.max(3, 32 - Math.clz32(next)));
  codes.add(clear, 3);
  codes.add(color, 3);
  while (left > 0) {
    const run = Math.min(left, next - first + 2);
    codes.add(run === 1 ? color : run - 2 + first, size());
    next += 1;
    left -= run;
    if (next <= last || left === 0) continue;
    codes.add(clear, 12);
    codes.add(color, 3);
    next = first;
    left -= 1;
  }
  codes.add(end, size());
  return codes.end();
}

interface FlatGif {
  readonly screen: readonly [width: number, height: number];
  readonly frames: readonly { readonly width: number; readonly height: number; readonly color: number }[];
}

const little16 = (...values: number[]): Buffer => uint16(...values).swap16();

/** Returns a GIF whose frames have one color each: 0 black, 1 red, 2 green, 3 blue. */
export function flatGif({ screen, frames }: FlatGif): Buffer {
  const palette = Buffer.from([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
  const blocks = frames.flatMap(({ width, height, color }) => {
    const packed = packedRun(color, width * height);
    const pieces = Array.from({ length: Math.ceil(packed.length / 255) }, (_, index) => {
      const piece = packed.subarray(index * 255, index * 255 + 255);
      return Buffer.concat([Buffer.from([piece.length]), piece]);
    });
    const delay = latin1('!\xf9\x04\0\x0a\0\0\0');
    return [delay, latin1(','), little16(0, 0, width, height), Buffer.from([0, 2]), ...pieces, Buffer.alloc(1)];
  });
  return Buffer.concat([
    latin1('GIF89a'),
    little16(...screen),
    Buffer.from([0x91, 0, 0]),
    palette,
    ...blocks,
    latin1(';'),
  ]);
}
