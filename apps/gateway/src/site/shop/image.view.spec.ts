import { pageSizes, responsiveImage, fillImageUrl, previewSize, sizeWithin } from './image.view.js';

const template = '/images/v1/{width}x{height}/mug/{size}/{color}[/angle]/1/2-3x4.png.webp?h=abc&printed=true&v=2';
const view = { size: '360ml', color: 'white', angle: 'left' };

describe('image of a product', () => {
  it('fills the URL template, with or without an angle, in the given format', () => {
    expect(fillImageUrl(template, view, { width: 323, height: 323 })).toBe(
      '/images/v1/323x323/mug/360ml/white/left/1/2-3x4.png.webp?h=abc&printed=true&v=2',
    );
    expect(fillImageUrl(template, { ...view, angle: null }, { width: 500, height: 500 }, 'jpg')).toBe(
      '/images/v1/500x500/mug/360ml/white/1/2-3x4.png.jpg?h=abc&printed=true&v=2',
    );
  });

  it('has every square size in srcset, and the smallest as src', () => {
    const sizes = pageSizes(new Set(['765x765', '1200x630', '323x323']));
    const { src, srcset, width, height } = responsiveImage(template, view, sizes);
    expect([src.split('/')[3], width, height]).toEqual(['323x323', 323, 323]);
    expect(srcset.split(', ').map((it) => [it.split('/')[3], it.split(' ')[1]])).toEqual([
      ['323x323', '323w'],
      ['765x765', '765w'],
    ]);
  });

  it('uses other sizes if no square is configured', () => {
    expect(pageSizes(new Set(['800x600', '400x300']))[0]).toEqual({ width: 400, height: 300 });
  });

  it('uses the Open Graph size for previews if configured, else the largest square', () => {
    expect(previewSize(new Set(['323x323', '1200x630', '765x765']))).toEqual({ width: 1200, height: 630 });
    expect(previewSize(new Set(['765x765', '323x323', '1200x800']))).toEqual({ width: 765, height: 765 });
  });

  it.each([
    [2_000, 2_000, { width: 1200, height: 630 }],
    [1_199, 2_000, { width: 765, height: 765 }],
    [2_000, 500, { width: 323, height: 323 }],
    [322, 2_000, undefined],
  ])('within %i x %i pixels', (maxWidth, maxHeight, size) => {
    expect(sizeWithin(new Set(['765x765', '1200x630', '323x323']), maxWidth, maxHeight)).toEqual(size);
  });
});
