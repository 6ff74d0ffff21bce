import { type Color } from 'ag-psd';
import { rgbOf } from './fill-color.js';
import { readDocument } from './psd-document.js';
import { psdOf } from './testing/psd-file.js';

/** Writes a fill of a color, and reads its color. */
function colorIn(color: Color) {
  const [layer] = readDocument(psdOf(10, [{ name: 'Fill', vectorFill: { type: 'color', color } }])).children!;
  return rgbOf((layer!.vectorFill as { color: Color }).color).map((it) => Math.round(255 * it));
}

describe('color of a fill', () => {
  it.each<[string, Color, number[]]>([
    ['RGB', { r: 51, g: 102, b: 204 }, [51, 102, 204]],
    ['RGB in floats', { fr: 0.2, fg: 0.4, fb: 0.8 }, [51, 102, 204]],
    // 220 degrees
    ['HSB', { h: 220 / 360, s: 75, b: 80 }, [51, 102, 204]],
    ['HSB without saturation', { h: 0, s: 0, b: 40 }, [102, 102, 102]],
    ['HSB, red', { h: 0, s: 100, b: 100 }, [255, 0, 0]],
    ['HSB, magenta', { h: 300 / 360, s: 100, b: 100 }, [255, 0, 255]],
    ['grayscale, white', { k: 0 }, [255, 255, 255]],
    ['grayscale of 60 % ink', { k: 60 }, [102, 102, 102]],
    ['CMYK, approximated', { c: 100, m: 50, y: 0, k: 20 }, [0, 102, 204]],
    ['Lab, approximated', { l: 40, a: 30, b: -20 }, [102, 102, 102]],
  ])('in %s', (_, color, expected) => {
    expect(colorIn(color)).toEqual(expected);
  });
});
