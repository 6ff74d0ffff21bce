import { type Layer } from '#blanks';
import { backgroundRgb, type Rgb } from './light.js';

/** Darkest and brightest albedo of cloth, under full light. */
const black: Rgb = [31, 31, 34];
const white = 250;

/**
 * Returns the albedo of an item whose catalog color is `#rrggbb`. Cloth is never 255 (folds
 * would clip) and never 0 (folds would vanish): white becomes 250, black 31,31,34. One soft curve
 * per channel, `(black^4 + (c * 250/255)^4)^(1/4)`, hardly changes other colors. Linear scaling of
 * 0..255 to 31..250 would wash a red of 190,30,45 out to 194,57,72.
 *
 * @throws RangeError when `hex` is not `#rrggbb`
 */
export function clothTone(hex: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new RangeError(`${hex} is not #rrggbb`);
  const channel = (index: 0 | 1 | 2): number => {
    const value = (Number.parseInt(hex.slice(1 + 2 * index, 3 + 2 * index), 16) * white) / 255;
    return Math.min(white, Math.round((black[index] ** 4 + value ** 4) ** 0.25));
  };
  return [channel(0), channel(1), channel(2)];
}

/** Color of an item under full light. */
interface Cloth {
  readonly rgb: Rgb;
  /** True for yarn of light and dark fibres. */
  readonly mottled: boolean;
}

/** Catalog colors whose cloth differs from the swatch: yarn that is not dyed, or of two colors. */
const yarns: Readonly<Record<string, { readonly tone: string; readonly mottled: boolean }>> = {
  '#f1d6b5': { tone: '#e8dfcc', mottled: false },
  '#b9bcbf': { tone: '#b9bcbf', mottled: true },
  '#dcdcda': { tone: '#dcd8cf', mottled: true },
};

/**
 * Returns the color of an item in a catalog color, `#rrggbb`: that of the background for a clear
 * item, of yarn for cloth.
 *
 * @throws RangeError as `clothTone`
 */
export function clothOf({ clear, fabric }: Pick<Layer, 'clear' | 'fabric'>, hex: string): Cloth {
  if (clear) return { rgb: backgroundRgb, mottled: false };
  const yarn = fabric && yarns[hex.toLowerCase()];
  return { rgb: clothTone(yarn ? yarn.tone : hex), mottled: yarn ? yarn.mottled : false };
}
