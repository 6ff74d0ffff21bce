import { type DomainError } from '#kernel';
import { dataUriBytes, textureLimit } from './data-uri.js';

const read = (uri: string) => dataUriBytes(uri, 'body.texture');

function codeOf(uri: string): string {
  try {
    read(uri);
  } catch (error) {
    expect((error as DomainError).errors).toMatchObject([{ path: 'body.texture' }]);
    return (error as DomainError).kind.code;
  }
  return 'accepted';
}

describe('dataUriBytes', () => {
  it.each([
    ['data:image/png;base64,aGVsbG8=', 'hello'],
    ['DATA:IMAGE/PNG;BASE64,aGVsbG8=', 'hello'],
    ['data:;base64,aGVsbG8', 'hello'],
    ['data:image/png;charset=utf-8;base64,aGVsbG8=', 'hello'],
    ['data:,hel%6Co', 'hello'],
  ])('reads %s', (uri, text) => {
    expect(read(uri).toString()).toBe(text);
  });

  it.each([
    ['data:image/png;base64,', 'texture.empty'],
    ['data:,', 'texture.empty'],
    ['data:image/png', 'texture.not-decoded'],
    ['data:image/png;base64', 'texture.not-decoded'],
    ['data:,%zz', 'texture.not-decoded'],
    ['data:image/png;base64,@@@', 'texture.not-decoded'],
    [`data:;base64,${'A'.repeat(textureLimit * 1.4)}`, 'texture.too-large'],
    [`data:,${'A'.repeat(textureLimit + 1)}`, 'texture.too-large'],
  ])('refuses %.40s as %s', (uri, code) => {
    expect(codeOf(uri)).toBe(code);
  });

  it('takes exactly 20 MB', () => {
    expect(read(`data:;base64,${Buffer.alloc(textureLimit).toString('base64')}`)).toHaveLength(textureLimit);
  });
});
