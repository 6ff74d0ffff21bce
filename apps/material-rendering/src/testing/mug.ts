import type { ImageSource } from '#contracts';

/** A product of a material, as the catalogue says it. */
export const mug: ImageSource['products'][number] = {
  itemName: 'mug',
  revision: 0,
  published: true,
  resizeMode: 'contain',
  prints: [],
  defaultPrintPlace: 'front',
  colors: [{ name: 'white', rgb: '#ffffff' }],
  sizes: ['one'],
  angles: ['front', 'left', 'right'],
  essentialAngles: ['front', 'left'],
  sample: { size: 'one', color: 'white', angle: 'front' },
};
