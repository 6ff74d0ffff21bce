import { blanksFolder, checkBundle, openBundle, readCatalogFiles } from '#blanks';
import { sharp } from '#images';
import { drawSheet } from './sheet.js';

const { colors, sizes, categories, printPlaces } = readCatalogFiles(blanksFolder);

async function opened(name: string) {
  const files = await openBundle(`${blanksFolder}/items/${name}`);
  const { content } = await checkBundle(files, { colors, sizes, categories, printPlaces });
  return { files, item: content!.item };
}

/** Returns the mean color of a square of a sheet. */
async function meanOf(sheet: Buffer, left: number, top: number, side: number): Promise<number[]> {
  const { channels } = await sharp(
    await sharp(sheet).extract({ left, top, width: side, height: side }).png().toBuffer(),
  ).stats();
  return channels.map(({ mean }) => Math.round(mean));
}

describe('drawSheet', () => {
  it('draws every angle in every color with three artworks', async () => {
    const { files, item } = await opened('mug');
    const sheet = await drawSheet(files, item, colors, { size: 100, format: 'png' });
    expect(sheet.images).toBe(4 * 4 * 3);
    expect(await sharp(sheet.bytes).metadata()).toMatchObject({
      format: 'png',
      width: sheet.width,
      height: sheet.height,
    });
    // Title, heading, then four groups of three images of 100 pixels beside each other
    const [margin, top, group] = [24, 24 + 44 + 22, 3 * 100 + 2 * 2 + 14];
    const images = [];
    for (let color = 0; color < 4; color++)
      for (let artwork = 0; artwork < 3; artwork++)
        images.push(await meanOf(sheet.bytes, margin + color * group + artwork * 102, top, 100));
    expect(new Set(images.map(String)).size).toBe(12);
    // White, black, red and blue, beside the logo
    const item1 = images.filter((_, index) => index % 3 === 1).map(([red = 0, , blue = 0]) => red - blue);
    expect(item1[2]).toBeGreaterThan(item1[0]! + 30);
    expect(item1[3]).toBeLessThan(item1[0]! - 30);
    expect(Math.max(...images[4]!)).toBeLessThan(Math.min(...images[1]!));
    expect(await meanOf(sheet.bytes, 0, 0, margin)).toEqual([255, 255, 255]);
  });

  it('has colors of the bundle, and is a JPEG', async () => {
    const { files, item } = await opened('mug');
    const [variant] = item.variants;
    const lime = { name: 'lime', displayName: { ja: 'ライム', en: 'Lime' }, rgb: '#a0e020' };
    const own = { ...item, angles: item.angles.slice(0, 1), variants: [{ ...variant!, color: 'lime' }] };
    const { bytes, images } = await drawSheet(files, own, [lime, ...colors], { size: 100, format: 'jpg' });
    expect([images, (await sharp(bytes).metadata()).format]).toEqual([3, 'jpeg']);
    const [red, green, blue] = await meanOf(bytes, 24 + 102, 90, 100);
    expect(green).toBeGreaterThan(red!);
    expect(green).toBeGreaterThan(blue! + 30);
  });

  it('rejects more pixels than its limit, and an item without angles', async () => {
    const { files, item } = await opened('mug');
    await expect(drawSheet(files, item, colors, { size: 1_000, format: 'png' })).rejects.toThrow(
      'A sheet of 48 images of 1000 pixels is too large: use --size 912 or less.',
    );
    await expect(drawSheet(files, { ...item, angles: [] }, colors, { size: 100, format: 'png' })).rejects.toThrow(
      'mug has no angles.',
    );
  });
});
