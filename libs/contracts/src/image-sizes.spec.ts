import { defaultImageSizes } from './urls/image-url.js';
import { imageSizes } from './image-sizes.js';

describe('IMAGE_SIZES', () => {
  it('defaults to the standard sizes', () => {
    expect([...imageSizes.parse(undefined)]).toEqual(defaultImageSizes);
  });

  it('accepts a comma-separated list', () => {
    expect([...imageSizes.parse('100x100, 4096x50')]).toEqual(['100x100', '4096x50']);
  });

  it.each(['100', '0x100', 'x', ',', '100x100,', '4097x100', '100x4097', '100x100,9999x9999'])('rejects %j', (text) => {
    const { error } = imageSizes.safeParse(text);
    expect(error?.issues[0]?.message).toBe('must look like 323x323,765x765, with sides of 1 to 4096 pixels');
  });
});
