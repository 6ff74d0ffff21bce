import fc from 'fast-check';
import { DataUri } from './data-uri.js';
import { BodyReader } from './body-reader.js';
import { parseJson } from './json-body.js';

/** Parses a body and inserts extracted images as text. */
function read(text: string | Buffer, chunkSize = 65_536): unknown {
  const bytes = Buffer.from(text);
  const reader = new BodyReader();
  for (let at = 0; at < bytes.length; at += chunkSize) reader.add(bytes.subarray(at, at + chunkSize));
  const { json, dataUris } = reader.end();
  const body = parseJson(json);
  if (dataUris.size === 0) return body;
  return JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    const uri = typeof value === 'string' ? dataUris.get(value) : undefined;
    return uri ? `extracted ${Buffer.concat(uri.bytes('x')).toString('base64')}` : value;
  });
}

const codeOf = (text: string | Buffer): string => {
  try {
    read(text);
  } catch (error) {
    return (error as { kind: { code: string } }).kind.code;
  }
  return 'read';
};

const image = Buffer.from(Array.from({ length: 30_000 }, (_, index) => index % 251));
const base64 = image.toString('base64');
const uri = `data:image/png;base64,${base64}`;
const extracted = `extracted ${base64}`;

describe('BodyReader', () => {
  it('treats an empty body as none', () => {
    expect(read('')).toBeUndefined();
    expect(read(' \n')).toBeUndefined();
  });

  it('equals JSON.parse for any chunks', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 20 }), (text, size) => {
        expect(read(text, size)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('parses texts with quotes, backslashes and the word texture in any chunks', () => {
    const piece = fc.constantFrom('"', '\\', '"texture": "', 'texture', ':', '{', '漢', '😀', '\n', '\0', 'data:');
    const texts = fc.array(piece).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.dictionary(texts, texts), fc.integer({ min: 1, max: 20 }), (value, size) => {
        const text = JSON.stringify(value, null, 1);
        expect(read(text, size)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([1, 7, 64, 1_000, 65_536, 1_000_000])('extracts large data URIs, in chunks of %d bytes', (size) => {
    const value = {
      title: 'x',
      texture: uri,
      products: [{ sub_materials: [{ texture: uri }, { texture: 'data:,x' }] }],
    };
    const expected = {
      title: 'x',
      texture: extracted,
      products: [{ sub_materials: [{ texture: extracted }, { texture: 'data:,x' }] }],
    };
    expect(read(JSON.stringify(value), size)).toEqual(expected);
    // Escaped as by PHP and .NET, and with spaces around the colon
    expect(read(JSON.stringify(value).replaceAll('/', '\\/'), size)).toEqual(expected);
    expect(read(JSON.stringify(value).replaceAll('+', '\\u002B'), size)).toEqual(expected);
    expect(read(JSON.stringify(value, null, 4).replaceAll('":', '"\n : '), size)).toEqual(expected);
  });

  it('ignores line breaks in base64', () => {
    const lines = base64.replace(/.{76}/g, '$&\r\n');
    expect(read(JSON.stringify({ texture: `data:;base64,${lines}` }), 999)).toEqual({ texture: extracted });
  });

  it('uses the last value of a repeated key, for texts and large data URIs', () => {
    expect(read('{"title":"a","title":"b"}')).toEqual({ title: 'b' });
    expect(read(`{"texture":"${uri}","texture":"data:,x"}`, 999)).toEqual({ texture: 'data:,x' });
    expect(read(`{"texture":"data:,x","texture":"${uri}"}`, 999)).toEqual({ texture: extracted });
  });

  it('does not extract large texts of other keys, also if they resemble the key texture', () => {
    for (const value of [
      { description: uri },
      { 'a"texture': uri },
      { textures: uri },
      ['texture', uri],
      { texture: [uri] },
    ])
      expect(read(JSON.stringify(value), 1_000)).toEqual(value);
  });

  it('accepts the longest URL, with each character escaped', () => {
    const address = `https://example.com/${'x'.repeat(2_028)}`;
    const text = Array.from(address, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(read(`{"texture": "${text}"}`, 5)).toEqual({ texture: address });
  });

  it('truncates an overlong URL, which the contract rejects', () => {
    const { texture } = read(JSON.stringify({ texture: 'x'.repeat(5_000_000), title: 'x' })) as { texture: string };
    expect(texture.length).toBeGreaterThan(2_048);
    expect(texture.length).toBeLessThan(100_000);
  });

  it('does not check image content, which is checked on storing', () => {
    const reader = new BodyReader();
    reader.add(Buffer.from(JSON.stringify({ texture: `data:;base64,${'@'.repeat(100_000)}` })));
    const [value] = [...reader.end().dataUris.values()];
    expect(value).toBeInstanceOf(DataUri);
    expect(() => value!.bytes('body.texture')).toThrow('not base64');
  });

  it.each([
    ...['{', 'x', '{"a":}', '[1,]', '"', '"\\', '{"texture": "data:', '{"a\nb": 1}', '\ufeff{}', '{"a":1}{"b":1}'],
    `{"texture": "${uri}\n"}`,
    `{"texture": "${uri}\\x"}`,
    `{"texture": "${uri}\\u00"}`,
    `{"texture": "${uri}`,
    `{"texture": "${uri}" "x"}`,
  ])('rejects %.30s as invalid JSON', (text) => {
    expect(codeOf(text)).toBe('request.body-not-json');
  });

  it('rejects invalid UTF-8', () => {
    expect(codeOf(Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toBe('request.body-not-json');
  });

  it.each([
    ['objects', `[${'{},'.repeat(20_001)}1]`, 'request.invalid'],
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000), 'request.invalid'],
    ['keys', `{${Array.from({ length: 50_001 }, (_, index) => `"${index}":0`).join()}}`, 'request.invalid'],
    ['numbers', `[${'0,'.repeat(2_200_000)}0]`, 'request.too-large'],
    ['bytes of text', JSON.stringify({ description: 'x'.repeat(5_000_000) }), 'request.too-large'],
  ])('rejects too many %s before parsing', (_, text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it('accepts the maximum number of parts, without counting brackets in texts', () => {
    expect(codeOf(JSON.stringify({ a: '{['.repeat(30_000), b: Array.from({ length: 19_998 }, () => ({})) }))).toBe(
      'read',
    );
    expect(codeOf('['.repeat(20_000) + ']'.repeat(20_000))).toBe('read');
  });
});
