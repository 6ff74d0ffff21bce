import { defaultImageSizes } from './image-url.js';
import { imageSizes } from './image-sizes.js';

describe('the sizes of images that an operator allows', () => {
  it('are the usual ones when nothing is said', () => {
    expect([...imageSizes.parse(undefined)]).toEqual(defaultImageSizes);
  });

  it('are a list', () => {
    expect([...imageSizes.parse('100x100, 4096x50')]).toEqual(['100x100', '4096x50']);
  });

  it.each(['100', '0x100', 'x', ',', '100x100,', '4097x100', '100x4097', '100x100,9999x9999'])('are not %s', (text) => {
    const { error } = imageSizes.safeParse(text);
    expect(error?.issues[0]?.message).toBe('must look like 323x323,765x765, with sides of 1 to 4096 pixels');
  });
});
