import { readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { defaultImageSizes, imagePath, parseImagePath, signAdjustment } from '#contracts';

const document = readFileSync(projectPath('docs/clients.md'), 'utf8');
const [, command = '', answer = ''] = /^\$ (printf .*)\n(\w+) {2}-$/m.exec(document) ?? [];
const [, hash = '', adjustment = ''] = /^printf '%s %s' (\w+) (\S+) \| sha1sum$/.exec(command) ?? [];
const addresses = [...document.matchAll(/^(\/images\/v1\/\S+)$/gm)].map(
  ([, address]) => new URL(address!, 'https://shop.example'),
);
const images = addresses.map(({ pathname }) => parseImagePath(pathname.slice(imagePath.length + 1)));

describe('the example of an adjusted image in docs/clients.md', () => {
  it('signs what its command says', () => {
    expect([hash.length, answer]).toEqual([40, signAdjustment(hash, adjustment)]);
  });

  it('is two addresses of one image: as it is, and adjusted', () => {
    expect(addresses.map(({ searchParams }) => searchParams.get('h'))).toEqual([hash, answer]);
    expect(images.map((image) => image?.adjustment)).toEqual([null, adjustment]);
    expect({ ...images[1], adjustment: null }).toEqual(images[0]);
  });

  it('has a size that is served', () => {
    const { width, height } = images[0]!;
    expect(defaultImageSizes).toContain(`${width}x${height}`);
  });
});
