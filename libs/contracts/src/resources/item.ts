import { z } from 'zod';
import { exampleBaseUrl } from '../example-base-url.js';
import { field } from '../field.js';

export const ItemColor = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Unique name, used in URLs.', 'white'),
  displayName: field(z.string(), 'Display name.', 'ホワイト'),
  rgb: field(z.string(), 'Color as `#rrggbb`.', '#ffffff'),
});
export type ItemColor = z.output<typeof ItemColor>;

export const ItemSize = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Unique name, used in URLs.', 's'),
  displayName: field(z.string(), 'Display name.', 'S'),
});
export type ItemSize = z.output<typeof ItemSize>;

export const PrintPlace = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  place: field(z.string(), 'Name of the print place.', 'front'),
  price: field(z.int(), 'Surcharge for printing in this place, excluding tax.', 0),
  itemVariantId: field(z.int(), 'Identifier of the variant that the print place belongs to.', 1),
});
export type PrintPlace = z.output<typeof PrintPlace>;

export const ItemVariant = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  color: ItemColor.meta({ description: 'Color of the variant.' }),
  size: ItemSize.meta({ description: 'Size of the variant.' }),
  price: field(z.int(), 'Price excluding tax and the surcharges of print places.', 2200),
  priceWithTax: field(z.int(), 'Price including tax, without the surcharges of print places.', 2420),
  exemplary: field(z.boolean(), 'True for the variant shown on product list pages.', true),
  enabled: field(z.boolean(), 'True if the variant can be ordered.', true),
  isLightColor: field(z.boolean(), 'True for light colors.', true),
  isDarkColor: field(z.boolean(), 'True for dark colors.', false),
  printPlaces: z.array(PrintPlace).meta({ description: 'Printable places of the variant.' }),
});
export type ItemVariant = z.output<typeof ItemVariant>;

/** An item as embedded in products: without its variants. */
export const Item = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Unique name, used in URLs.', 't-shirt'),
  humanizeName: field(z.string(), 'Display name.', 'スタンダードTシャツ'),
  angles: field(z.array(z.string()), 'Angles of the images of the item.', ['front', 'back']),
  availablePrintPlaces: field(z.array(z.string()), 'Names of the print places.', ['front', 'back']),
  defaultPrintPlace: field(z.string(), 'Print place that the image of the material is printed on.', 'front'),
  displayOrder: field(z.int(), 'Position in item lists.', 1),
  essentialAngles: field(z.array(z.string()), 'Angles that can represent a product.', ['front', 'back']),
  extraAngles: field(z.array(z.string()), 'Angles that cannot represent a product.', []),
  iconUrls: field(z.record(z.string(), z.string()), 'URLs of the item icon by format.', {
    svg: `${exampleBaseUrl}/icons/t-shirt.svg`,
    png: `${exampleBaseUrl}/icons/t-shirt.png`,
  }),
  wearingImageUrls: field(
    z.record(z.string(), z.string()),
    'URLs of an image of the worn item by format. Empty for an item that is not worn.',
    {
      png: `${exampleBaseUrl}/images/v1/wearing/t-shirt.png`,
      webp: `${exampleBaseUrl}/images/v1/wearing/t-shirt.webp`,
    },
  ),
  isMultiPrintable: field(z.boolean(), 'True if the item has two or more print places.', true),
  isEmbroidery: field(z.boolean(), 'True if the item is embroidered.', false),
  printPlaceDisplayNames: field(z.record(z.string(), z.string()), 'Display names by print place.', { front: '前面' }),
  printPlaceForExtraAngles: field(
    z.record(z.string(), z.record(z.string(), z.string())),
    'Print places by item name and extra angle.',
    {},
  ),
  imageDescriptions: field(z.array(z.string()), 'Descriptions of the images on the product page.', []),
  productImageUrlTemplates: field(z.record(z.string(), z.string()), 'Templates of product image URLs by angle.', {
    front: `${exampleBaseUrl}/images/v1/{width}x{height}/t-shirt/{size}/{color}[/angle]/{filePath}[.{adjustment}].{ext}?h={hash}&printed={printed}`,
  }),
});
export type Item = z.output<typeof Item>;

/** The size of a print place. */
export const PrintArea = z.object({
  pixels: z
    .object({ width: field(z.int(), 'Width in pixels.', 2520), height: field(z.int(), 'Height in pixels.', 3360) })
    .meta({ description: 'Size of an image that fills the place without being enlarged.' }),
  millimetres: z
    .object({
      width: field(z.number(), 'Width in millimeters.', 300),
      height: field(z.number(), 'Height in millimeters.', 400),
    })
    .meta({ description: 'Size of the print.' }),
});
export type PrintArea = z.output<typeof PrintArea>;

/** An item of the item list: with its variants and the fields that a list page shows. */
export const ItemDetail = Item.extend({
  variants: z.array(ItemVariant).meta({ description: 'Combinations of color and size.' }),
  category: z
    .object({
      name: field(z.string(), 'Unique name.', 'clothes'),
      displayName: field(z.string(), 'Display name.', 'ウェア'),
    })
    .meta({ description: 'Category of the item.' }),
  minPriceWithTax: field(z.int(), 'Lowest price of the enabled variants, including tax.', 2420),
  colorsCount: field(z.int(), 'Number of colors.', 12),
  printAreas: field(z.record(z.string(), PrintArea), 'Print sizes by print place. (Extension.)', {
    front: { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } },
    back: { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } },
  }),
});
export type ItemDetail = z.output<typeof ItemDetail>;
