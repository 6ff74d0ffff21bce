import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { field } from '../field.js';

export const ItemColor = z.object({
  id: field(z.int(), 'unique id', 1),
  name: field(z.string(), 'unique name', 'white'),
  displayName: field(z.string(), 'display name', 'ホワイト'),
  rgb: field(z.string(), 'colour as hexadecimal text', '#ffffff'),
});
export type ItemColor = z.output<typeof ItemColor>;

export const ItemSize = z.object({
  id: field(z.int(), 'unique id', 1),
  name: field(z.string(), 'unique name', 's'),
  displayName: field(z.string(), 'display name', 'S'),
});
export type ItemSize = z.output<typeof ItemSize>;

export const PrintPlace = z.object({
  id: field(z.int(), 'unique id', 1),
  place: field(z.string(), 'name of the place', 'front'),
  price: field(z.int(), 'amount added when printing there', 0),
  itemVariantId: field(z.int(), 'the variant that has this place', 1),
});
export type PrintPlace = z.output<typeof PrintPlace>;

export const ItemVariant = z.object({
  id: field(z.int(), 'unique id', 1),
  color: ItemColor.meta({ description: 'colour of the variant' }),
  size: ItemSize.meta({ description: 'size of the variant' }),
  price: field(z.int(), 'price excluding tax, without the prices of print places', 2200),
  priceWithTax: field(z.int(), 'price including tax, without the prices of print places', 2420),
  exemplary: field(z.boolean(), 'the variant shown on product list pages', true),
  enabled: field(z.boolean(), 'can be ordered', true),
  isLightColor: field(z.boolean(), 'light-colour flag', true),
  isDarkColor: field(z.boolean(), 'dark-colour flag', false),
  printPlaces: z.array(PrintPlace).meta({ description: 'printable places' }),
});
export type ItemVariant = z.output<typeof ItemVariant>;

/** An item as embedded in products: without its variants. */
export const Item = z.object({
  id: field(z.int(), 'unique id', 1),
  name: field(z.string(), 'unique name', 't-shirt'),
  humanizeName: field(z.string(), 'display name', 'スタンダードTシャツ'),
  angles: field(z.array(z.string()), 'angle kinds of the item image', ['front', 'back']),
  availablePrintPlaces: field(z.array(z.string()), 'printable places', ['front', 'back']),
  defaultPrintPlace: field(z.string(), 'print place selected by default', 'front'),
  displayOrder: field(z.int(), 'sort order in item lists', 1),
  essentialAngles: field(z.array(z.string()), 'angles selectable as the exemplary angle', ['front', 'back']),
  extraAngles: field(z.array(z.string()), 'angles not selectable as the exemplary angle', []),
  iconUrls: field(z.record(z.string(), z.string()), 'item icon URLs by format', {
    svg: `${exampleBaseUrl}/icons/t-shirt.svg`,
    png: `${exampleBaseUrl}/icons/t-shirt.png`,
  }),
  wearingImageUrls: field(z.record(z.string(), z.string()), 'worn-item image URLs by format', {}),
  isMultiPrintable: field(z.boolean(), 'true when there are two or more printable places', true),
  isEmbroidery: field(z.boolean(), 'embroidery item', false),
  printPlaceDisplayNames: field(z.record(z.string(), z.string()), 'display name per print place', { front: '前面' }),
  printPlaceForExtraAngles: field(
    z.record(z.string(), z.record(z.string(), z.string())),
    'item name to (extra angle to print place)',
    {},
  ),
  imageDescriptions: field(z.array(z.string()), 'descriptions of product-page images', []),
  productImageUrlTemplates: field(z.record(z.string(), z.string()), 'product image URL template per angle', {
    front: `${exampleBaseUrl}/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}`,
  }),
});
export type Item = z.output<typeof Item>;

/** How large a place is printed. */
export const PrintArea = z.object({
  pixels: z
    .object({ width: field(z.int(), 'width', 2520), height: field(z.int(), 'height', 3360) })
    .meta({ description: 'size of an image that fills the place and is not enlarged for print' }),
  millimetres: z
    .object({ width: field(z.number(), 'width', 300), height: field(z.number(), 'height', 400) })
    .meta({ description: 'size of the print' }),
});
export type PrintArea = z.output<typeof PrintArea>;

/** An item in the item list: with its variants and what a list page shows. */
export const ListedItem = Item.extend({
  variants: z.array(ItemVariant).meta({ description: 'colour and size combinations' }),
  category: z
    .object({
      name: field(z.string(), 'unique name', 'clothes'),
      displayName: field(z.string(), 'display name', 'ウェア'),
    })
    .meta({ description: 'category of the item' }),
  minPriceWithTax: field(z.int(), 'lowest tax-included price of the enabled variants', 2420),
  colorsCount: field(z.int(), 'number of colours', 12),
  printAreas: field(z.record(z.string(), PrintArea), 'size of the print per printable place (addition)', {
    front: { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } },
    back: { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } },
  }),
});
export type ListedItem = z.output<typeof ListedItem>;
