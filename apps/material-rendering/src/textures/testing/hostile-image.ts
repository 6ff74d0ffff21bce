import type { Texture } from '#contracts';
import { testImage } from './test-images.js';

/** Image that could do harm without validation, and its expected outcome. */
export interface HostileImage {
  readonly name: string;
  readonly make: () => Buffer | Promise<Buffer>;
  readonly outcome: AcceptedOutcome | RejectedOutcome;
}
export interface AcceptedOutcome extends Partial<Pick<Texture, 'width' | 'height' | 'animated'>> {
  readonly format: Texture['format'];
  /**
   * Expected dominant color, with a tolerance of `off` per channel; null when nothing is visible.
   */
  readonly color?: string | null;
  readonly off?: number;
}
export interface RejectedOutcome {
  readonly code: `texture.${'empty' | 'too-large' | 'unsupported-format' | 'not-decoded'}`;
  readonly because: RegExp;
}

type Rows = readonly (readonly [name: string, make: HostileImage['make'], outcome: HostileImage['outcome']])[];
export const cases = (rows: Rows): HostileImage[] => rows.map(([name, make, outcome]) => ({ name, make, outcome }));

export const damaged: RejectedOutcome = { code: 'texture.not-decoded', because: /damaged or not complete/ };
export const notDecoded = (because: RegExp): RejectedOutcome => ({ code: 'texture.not-decoded', because });
export const tooLarge = (because: RegExp): RejectedOutcome => ({ code: 'texture.too-large', because });
export const unsupported = (because: RegExp): RejectedOutcome => ({ code: 'texture.unsupported-format', because });

export const [red, blue] = ['#ff0000', '#0000ff'];

/** Returns a small image of one color. */
export const flat = (format: Texture['format'], color = red, width = 64, height = 48): Promise<Buffer> =>
  testImage({ format, width, height, color });
