import { readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { defaultPictureSizes, imagePath, parseImagePath, signAdjustment } from '#contracts';

const document = readFileSync(projectPath('docs/clients.md'), 'utf8');
const [, command = '', answer = ''] = /^\$ (printf .*)\n(\w+) {2}-$/m.exec(document) ?? [];
const [, hash = '', adjustment = ''] = /^printf '%s %s' (\w+) (\S+) \| sha1sum$/.exec(command) ?? [];
const addresses = [...document.matchAll(/^(\/images\/v1\/\S+)$/gm)].map(
  ([, address]) => new URL(address!, 'https://shop.example'),
);
const pictures = addresses.map(({ pathname }) => parseImagePath(pathname.slice(imagePath.length + 1)));

describe('the example of an adjusted picture in docs/clients.md', () => {
  it('signs what its command says', () => {
    expect([hash.length, answer]).toEqual([40, signAdjustment(hash, adjustment)]);
  });

  it('is two addresses of one picture: as it is, and adjusted', () => {
    expect(addresses.map(({ searchParams }) => searchParams.get('h'))).toEqual([hash, answer]);
    expect(pictures.map((picture) => picture?.adjustment)).toEqual([null, adjustment]);
    expect({ ...pictures[1], adjustment: null }).toEqual(pictures[0]);
  });

  it('has a size that is served', () => {
    const { width, height } = pictures[0]!;
    expect(defaultPictureSizes).toContain(`${width}x${height}`);
  });
});
