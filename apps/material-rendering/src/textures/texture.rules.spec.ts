import { manyScansJpeg } from './testing/jpeg.js';
import { findPixelExcess, scansOf, sniff } from './texture.rules.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const isoMedia = (...brands: string[]): Buffer => {
  const box = bytes(`....ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`);
  box.writeUInt32BE(box.length, 0);
  return box;
};

describe('sniff', () => {
  it.each([
    ['png', bytes('\x89PNG\r\n\x1a\n....')],
    ['jpeg', bytes('\xff\xd8\xff\xe0....')],
    ['gif', bytes('GIF87a..')],
    ['gif', bytes('GIF89a..')],
    ['webp', bytes('RIFF\x10\0\0\0WEBPVP8 ')],
    ['avif', isoMedia('avif', 'mif1', 'miaf')],
    ['avif', isoMedia('mif1', 'avif')],
    ['avif', isoMedia('avis', 'msf1')],
  ])('detects %s', (format, image) => {
    expect(sniff(image)).toEqual({ supported: format });
  });

  it.each([
    ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['SVG', bytes('\xef\xbb\xbf \n<?xml version="1.0"?><!-- x --><svg:svg>')],
    ['SVG', Buffer.from('\ufeff<svg>', 'utf16le')],
    ['an HTML page', bytes('<!DOCTYPE html><html>')],
    ['an HTML page', bytes('\n<html lang="ja">')],
    ['XML', bytes('<?xml version="1.0"?><rss/>')],
    ['JSON', bytes('{"error":"not found"}')],
    ['text', bytes('not found')],
    ['TIFF', bytes('II*\0....')],
    ['TIFF', bytes('MM\0*....')],
    ['PDF', bytes('%PDF-1.7')],
    ['BMP', bytes('BM......')],
    ['HEIC', isoMedia('heic', 'mif1')],
    ['HEIC', isoMedia('mif1', 'heic')],
    ['a video', isoMedia('isom', 'mp41')],
    ['a ZIP archive', bytes('PK\x03\x04')],
    ['compressed with gzip', bytes('\x1f\x8b\x08')],
    ['JPEG XL', bytes('\xff\x0a..')],
    ['of an unknown format', bytes('\x01\x02\x03\x04\0\0')],
    ['text', bytes('RIFF')],
    ['of an unknown format', bytes('RIFF\0\0\0\0WAVE')],
    ['text', bytes('\x89PN')],
  ])('returns the name of an unsupported format: %s', (name, image) => {
    expect(sniff(image)).toEqual({ unsupported: name });
  });

  it('never throws for any first bytes', () => {
    for (let length = 0; length < 40; length += 1) {
      for (const start of ['', '\x89PNG', 'RIFF', '\0\0\0\x18ftyp', '\xff\xfftyp', '\xff\xff\xff\xffftypmif1']) {
        expect(() => sniff(bytes(start.padEnd(length, '\xff')).subarray(0, length))).not.toThrow();
      }
    }
  });
});

describe('findPixelExcess', () => {
  it.each([
    ['png', 7071, 7071],
    ['jpeg', 16_384, 3051],
    ['avif', 4000, 4000],
    ['png', 1, 1],
  ])('accepts %s of %i x %i pixels', (format, width, height) => {
    expect(findPixelExcess({ format, width, height })).toBeNull();
  });

  it.each([
    ['png', 7072, 7072, '7072 x 7072 pixels; at most 50 million are allowed'],
    ['avif', 4001, 4000, '4001 x 4000 pixels; at most 16 million are allowed'],
    ['png', 16_385, 1, '16385 x 1 pixels; a side may have at most 16384'],
    ['jpeg', 1, 16_385, '1 x 16385 pixels; a side may have at most 16384'],
  ])('rejects %s of %i x %i pixels', (format, width, height, reason) => {
    expect(findPixelExcess({ format, width, height })).toBe(reason);
  });
});

describe('scansOf', () => {
  it.each([1, 2, 100, 883])('counts %i scans', (scans) => {
    expect(scansOf(manyScansJpeg(scans))).toBe(scans);
  });

  it('ignores scans in the metadata and after the image', () => {
    const image = manyScansJpeg(3);
    const preview = Buffer.concat([bytes('\xff\xe1'), Buffer.from([0, 10]), bytes('\xff\xda\xff\xda\xff\xda\xff\xda')]);
    const whole = Buffer.concat([image.subarray(0, 2), preview, image.subarray(2), image]);
    expect(scansOf(whole)).toBe(3);
  });

  it('skips stuffed zero bytes, restart markers and fill bytes', () => {
    expect(scansOf(bytes('\xff\xd8\xff\xff\xff\xda\0\x02x\xff\0\xff\xd0\xff\xda\0\x02'))).toBe(2);
  });

  it('stops at the end of a truncated file', () => {
    for (const cut of [0, 1, 2, 3, 4, 5, 90, 91]) expect(scansOf(manyScansJpeg(2).subarray(0, cut))).toBe(0);
  });
});
