import fc from 'fast-check';
import { type DomainError } from '#kernel';
import { DataUri, headerLimit, textureLimit } from './data-uri.js';

const read = (uri: string) => Buffer.concat(new DataUri(uri).bytes('body.texture'));

function codeOf(uri: string): string {
  try {
    read(uri);
  } catch (error) {
    expect((error as DomainError).errors).toMatchObject([{ path: 'body.texture' }]);
    return (error as DomainError).kind.code;
  }
  return 'accepted';
}

describe('DataUri', () => {
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
  ])('rejects %s as %s', (uri, code) => {
    expect(codeOf(uri)).toBe(code);
  });

  // Prefixes only, because test titles of up to 29 million characters slow down reporters
  it.each([
    ['data:;base64,', textureLimit * 1.4],
    ['data:,', textureLimit + 1],
  ])('rejects %s and %i characters as texture.too-large', (head, letters) => {
    expect(codeOf(head + 'A'.repeat(letters))).toBe('texture.too-large');
  });

  it('accepts exactly 20 MB', () => {
    expect(read(`data:;base64,${Buffer.alloc(textureLimit).toString('base64')}`)).toHaveLength(textureLimit);
  });

  it('reads chunks like the whole, and base64 like Node.js', () => {
    const letters = fc.constantFrom('A', 'z', '0', '+', '/', '-', '_', ' ', '\n', '%', '漢');
    const text = fc.array(letters, { maxLength: 60 }).map((it) => `QUJD${it.join('')}`);
    const padded = fc.tuple(text, fc.constantFrom('', '=', '==')).map((it) => it.join(''));
    fc.assert(
      fc.property(padded, fc.array(fc.nat({ max: 9 })), (data, sizes) => {
        // Just below the decoding block, so that chunks cross its boundary
        for (const before of ['', 'QUJD'.repeat(16_382)]) {
          const uri = new DataUri(`data:;base64,${before}`);
          let at = 0;
          for (const size of sizes) uri.add(data.slice(at, (at += size)));
          uri.add(data.slice(at));
          expect(Buffer.concat(uri.bytes('x')).equals(Buffer.from(before + data, 'base64'))).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('stores few chunks, however small the received ones', () => {
    const uri = new DataUri('data:;base64,');
    for (let count = 0; count < 100_000; count++) uri.add('QUJD');
    const pieces = uri.bytes('x');
    expect(pieces.length).toBeLessThan(10);
    expect(Buffer.concat(pieces)).toHaveLength(300_000);
  });

  it('rejects a header over the limit', () => {
    expect(codeOf(`data:${'a'.repeat(headerLimit)};base64,aGVsbG8=`)).toBe('texture.not-decoded');
  });
});
