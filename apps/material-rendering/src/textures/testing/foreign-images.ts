import { gzipSync } from 'node:zlib';
import { sharp } from '#images';
import { latin1, uint32 } from './bytes.js';
import { cases, damaged, flat, red, unsupported } from './hostile-image.js';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${'<!ENTITY b "&a;&a;&a;&a;">'.repeat(9)}]>`;
const zip = latin1('PK\x03\x04\x14\0\0\0\0\0'.padEnd(60, '\0') + 'PK\x05\x06'.padEnd(22, '\0'));
const script = latin1('*/=1;alert(document.cookie);//');
const after = async (image: Promise<Buffer>, tail: Buffer): Promise<Buffer> => Buffer.concat([await image, tail]);
const before = async (head: string, image: Promise<Buffer>): Promise<Buffer> =>
  Buffer.concat([latin1(head), await image]);
const accepted = (format: 'png' | 'jpeg' | 'webp' | 'gif') => ({ format, width: 64, height: 48, color: red, off: 2 });

/** Files that are not a supported image. */
export const foreign = cases([
  ['SVG', () => latin1(svg), unsupported(/is SVG/)],
  ['SVG with entities', () => latin1(`<?xml version="1.0"?>${laughs}${svg}`), unsupported(/is SVG/)],
  ['SVG in gzip', () => gzipSync(svg), unsupported(/compressed with gzip/)],
  ['PNG in gzip', async () => gzipSync(await flat('png')), unsupported(/compressed with gzip/)],
  [
    'TIFF',
    async () =>
      sharp(await flat('png'))
        .tiff()
        .toBuffer(),
    unsupported(/is TIFF/),
  ],
  ['HEIC', () => Buffer.concat([uint32(24), latin1('ftypheic\0\0\0\0mif1heic')]), unsupported(/is HEIC/)],
  [
    'PDF with a JPEG inside',
    () => before('%PDF-1.7\n1 0 obj<</Filter/DCTDecode>>stream\n', flat('jpeg')),
    unsupported(/is PDF/),
  ],
  ['PostScript', () => latin1('%!PS-Adobe-3.0\n(/etc/passwd) (r) file'), unsupported(/PostScript/)],
  ['an ImageMagick script', () => latin1('push graphic-context\nimage over 0,0 0,0 "|id"'), unsupported(/is text/)],
  ['HTML', () => latin1('<!doctype html><title>Sign in</title>'), unsupported(/an HTML page/)],
  ['text', () => latin1('not found'), unsupported(/is text/)],
  ['ZIP', () => zip, unsupported(/ZIP/)],
  ['a video', () => Buffer.concat([uint32(24), latin1('ftypisom\0\0\0\0isommp41')]), unsupported(/a video/)],
  ['a text named PNG by its first letters', () => latin1('PNG\r\n\x1a\n'), unsupported(/./)],
]);

/**
 * Files that are valid in two formats, or begin as another format. Only a valid image at the start
 * is used.
 */
export const polyglots = cases([
  ['JPEG and ZIP', () => after(flat('jpeg'), zip), accepted('jpeg')],
  ['PNG with a tail of HTML', () => after(flat('png'), latin1('<script>alert(1)</script>')), accepted('png')],
  ['GIF with a tail of JavaScript', () => after(flat('gif'), script), accepted('gif')],
  ['WebP with a tail of PHP', () => after(flat('webp'), latin1('<?php system($_GET[0]);')), accepted('webp')],
  ['JavaScript that begins as a GIF', () => latin1('GIF89a=1;alert(1)//'), damaged],
  ['HTML that begins as a JPEG', () => latin1('\xff\xd8\xff\xe0<html><body>'), damaged],
  ['text that begins as a WebP', () => latin1('RIFF\x20\0\0\0WEBPVP8 hello, I am no image'), damaged],
  ['HTML before a PNG', () => before('<html>', flat('png')), unsupported(/an HTML page/)],
  ['a line break before a PNG', () => before('\n', flat('png')), unsupported(/./)],
]);
