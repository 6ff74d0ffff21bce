import { pageSizes, imageOf, fillImageUrl, previewSize } from './image.view.js';

const template = '/images/v1/{width}x{height}/mug/{size}/{color}[/angle]/1/2-3x4.png.webp?h=abc&printed=true&v=2';
const view = { size: '360ml', color: 'white', angle: 'left' };

describe('an image of a product', () => {
  it('is the filled template, with or without an angle, in the format that is asked for', () => {
    expect(fillImageUrl(template, view, { width: 323, height: 323 })).toBe(
      '/images/v1/323x323/mug/360ml/white/left/1/2-3x4.png.webp?h=abc&printed=true&v=2',
    );
    expect(fillImageUrl(template, { ...view, angle: null }, { width: 500, height: 500 }, 'jpg')).toBe(
      '/images/v1/500x500/mug/360ml/white/1/2-3x4.png.jpg?h=abc&printed=true&v=2',
    );
  });

  it('comes in every square size that is drawn, the smallest where nobody chooses', () => {
    const sizes = pageSizes(new Set(['765x765', '1200x630', '323x323']));
    const { src, srcset, width, height } = imageOf(template, view, sizes);
    expect([src.split('/')[3], width, height]).toEqual(['323x323', 323, 323]);
    expect(srcset.split(', ').map((it) => [it.split('/')[3], it.split(' ')[1]])).toEqual([
      ['323x323', '323w'],
      ['765x765', '765w'],
    ]);
  });

  it('has another shape where no square is drawn', () => {
    expect(pageSizes(new Set(['800x600', '400x300']))[0]).toEqual({ width: 400, height: 300 });
  });

  it('is shown to other sites in their shape where that is drawn, else as the largest square', () => {
    expect(previewSize(new Set(['323x323', '1200x630', '765x765']))).toEqual({ width: 1200, height: 630 });
    expect(previewSize(new Set(['765x765', '323x323', '1200x800']))).toEqual({ width: 765, height: 765 });
  });
});
