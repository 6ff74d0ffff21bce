import { blank } from './blank.js';
import { type Report } from '../command-line/command.js';

it('shows an item as tables', async () => {
  const item = {
    id: 7,
    name: 'tall-mug',
    version: 2,
    enabled: false,
    products: 3,
    displayName: { ja: 'マグ', en: 'Tall\u{1b}mug' },
    category: 'mugs',
    variants: [{ color: 'white', size: 'one-size', price: 1_200 }],
    printPlaces: [{ name: 'outside', price: 250, width: 161, height: 65.4 }],
    angles: [{ name: 'front', printPlace: 'outside', essential: true }],
    layers: 'c'.repeat(64),
  };
  const clients = { of: () => ({ call: () => Promise.resolve(item) }) };
  const report = (await blank['show']!.run(clients as never, { name: 'tall-mug' })) as Report;
  expect(report.data).toEqual({ item });
  expect(report.text.split('\n').filter(Boolean)).toEqual([
    'item  name      version  variants  products  state',
    '7     tall-mug  2        1         3         retired',
    'マグ (ja), Tall mug (en). Category: mugs.',
    `Layers: ${item.layers}`,
    'place    price  area',
    'outside  250    161 x 65.4 mm',
    'angle  place    essential',
    'front  outside  yes',
    'color  size      price',
    'white  one-size  1200',
  ]);
});
