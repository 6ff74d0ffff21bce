import type { ImageSource } from '#contracts';

/** Product of a material, as returned by the catalog. */
export const mug: ImageSource['products'][number] = {
  itemName: 'mug',
  revision: 0,
  published: true,
  resizeMode: 'contain',
  prints: [],
  defaultPrintPlace: 'front',
  cmykPlaces: [],
  colors: [{ name: 'white', rgb: '#ffffff' }],
  sizes: ['one'],
  angles: ['front', 'left', 'right'],
  essentialAngles: ['front', 'left'],
  sample: { size: 'one', color: 'white', angle: 'front' },
};
