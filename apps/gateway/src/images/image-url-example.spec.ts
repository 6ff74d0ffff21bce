import { readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { defaultImageSizes, imagePath, parseImagePath, signAdjustment } from '#contracts';

const document = readFileSync(projectPath('docs/clients.md'), 'utf8');
const [, command = '', output = ''] = /^\$ (printf .*)\n(\w+) {2}-$/m.exec(document) ?? [];
const [, hash = '', adjustment = ''] = /^printf '%s %s' (\w+) (\S+) \| sha1sum$/.exec(command) ?? [];
const urls = [...document.matchAll(/^(\/images\/v1\/\S+)$/gm)].map(([, url]) => new URL(url!, 'https://shop.example'));
const images = urls.map(({ pathname }) => parseImagePath(pathname.slice(imagePath.length + 1)));

describe('the example of an adjusted image in docs/clients.md', () => {
  it('has the signature that its command computes', () => {
    expect([hash.length, output]).toEqual([40, signAdjustment(hash, adjustment)]);
  });

  it('has two URLs of one image: unadjusted and adjusted', () => {
    expect(urls.map(({ searchParams }) => searchParams.get('h'))).toEqual([hash, output]);
    expect(images.map((image) => image?.adjustment)).toEqual([null, adjustment]);
    expect({ ...images[1], adjustment: null }).toEqual(images[0]);
  });

  it('has an allowed size', () => {
    const { width, height } = images[0]!;
    expect(defaultImageSizes).toContain(`${width}x${height}`);
  });
});
