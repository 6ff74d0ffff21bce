import type { ItemVariant } from '#contracts';
import { variantChoice } from './variant.view.js';

const sizes = ['s', 'm', 'l'];
const colors = ['white', 'navy', 'red'];
let ids = 0;
const variant = (size: string, color: string, enabled = true): ItemVariant => ({
  id: (ids += 1),
  price: 0,
  priceWithTax: 0,
  exemplary: false,
  enabled,
  isLightColor: true,
  isDarkColor: false,
  color: { id: colors.indexOf(color), name: color, displayName: color, rgb: '#ffffff' },
  size: { id: sizes.indexOf(size), name: size, displayName: size },
  printPlaces: [],
});
const namesOf = (variants: readonly ItemVariant[]) => variants.map(({ size, color }) => `${size.name} ${color.name}`);

const all = [
  variant('s', 'white'),
  variant('m', 'white'),
  variant('l', 'white'),
  variant('l', 'navy'),
  variant('m', 'navy'),
  variant('s', 'red'),
  variant('m', 'red', false),
];
const named = (size: string, color: string): ItemVariant =>
  all.find((it) => it.size.name === size && it.color.name === color)!;

describe('variantChoice', () => {
  it('offers each color once, in the chosen size if available, else in its first size', () => {
    expect(namesOf(variantChoice(all, named('m', 'white')).colors)).toEqual(['m white', 'm navy', 's red']);
    expect(namesOf(variantChoice(all, named('s', 'white')).colors)).toEqual(['s white', 'l navy', 's red']);
  });

  it('offers only the sizes of the chosen color', () => {
    expect(namesOf(variantChoice(all, named('l', 'navy')).sizes)).toEqual(['l navy', 'm navy']);
  });

  it('omits disabled variants except the chosen one', () => {
    expect(namesOf(variantChoice(all, named('s', 'red')).sizes)).toEqual(['s red']);
    expect(namesOf(variantChoice(all, named('m', 'red')).sizes)).toEqual(['s red', 'm red']);
  });
});
