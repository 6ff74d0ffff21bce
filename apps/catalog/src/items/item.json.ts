import {
  wearingImageUrls,
  iconKey,
  type Item,
  itemImageUrlTemplate,
  type ItemVariant,
  type ItemDetail,
  type Language,
} from '#contracts';
import { withTax } from '#kernel';
import { type CatalogSettings } from '../catalog.settings.js';
import { isDark } from './color.rules.js';
import { type StoredItem, type StoredVariant } from './item.queries.js';

/** Settings that URLs and prices depend on. */
export type ItemSettings = Pick<CatalogSettings, 'baseUrl' | 'taxPercent'>;

/** Settings, and the language of names. */
export type ItemContext = ItemSettings & { readonly language: Language };

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));

/**
 * Returns the ItemVariant of the API (docs/specification.md 2.8), with print places in the order of
 * the item's `availablePrintPlaces`.
 */
export function itemVariantOf(
  stored: StoredVariant,
  item: StoredItem,
  { taxPercent, language }: ItemContext,
): ItemVariant {
  const order = (place: string) => item.availablePrintPlaces.indexOf(place);
  const dark = isDark(stored.color.rgb);
  return {
    id: stored.id,
    color: { ...stored.color, displayName: stored.color.displayName[language] },
    size: { ...stored.size, displayName: stored.size.displayName[language] },
    price: stored.price,
    priceWithTax: withTax(stored.price, taxPercent),
    exemplary: stored.id === item.exemplaryVariantId,
    enabled: stored.enabled,
    isLightColor: !dark,
    isDarkColor: dark,
    printPlaces: stored.printPlaces
      .toSorted((one, other) => order(one.place) - order(other.place))
      .map((place) => ({ ...place, itemVariantId: stored.id })),
  };
}

/** Returns the Item of the API as embedded in products (docs/specification.md 2.7). */
export function itemOf(stored: StoredItem, { baseUrl, language }: ItemContext): Item {
  const angles = stored.angles.map(({ name }) => name);
  const anglesWhere = (essential: boolean) =>
    stored.angles.filter((angle) => angle.essential === essential).map(({ name }) => name);
  return {
    id: stored.id,
    name: stored.name,
    humanizeName: stored.displayName[language],
    angles,
    availablePrintPlaces: [...stored.availablePrintPlaces],
    defaultPrintPlace: stored.defaultPrintPlace,
    displayOrder: stored.displayOrder,
    essentialAngles: anglesWhere(true),
    extraAngles: anglesWhere(false),
    iconUrls: { svg: `${baseUrl}/${iconPath(stored, 'svg')}`, png: `${baseUrl}/${iconPath(stored, 'png')}` },
    wearingImageUrls: wearingAngleOf(stored) ? wearingImageUrls(baseUrl, stored.name, stored.version) : {},
    isMultiPrintable: stored.availablePrintPlaces.length > 1,
    isEmbroidery: stored.isEmbroidery,
    printPlaceDisplayNames: mapValues(stored.printPlaceDisplayNames, (name) => name[language]),
    printPlaceForExtraAngles: printPlacesOfExtraAngles(stored),
    imageDescriptions: [...stored.imageDescriptions],
    productImageUrlTemplates: Object.fromEntries(
      angles.map((angle) => [angle, itemImageUrlTemplate(baseUrl, stored.name)]),
    ),
  };
}

/** Returns the angle of the image of the worn item; undefined for an item without it. */
export const wearingAngleOf = ({ angles }: StoredItem): string | undefined =>
  angles.find(({ wearing }) => wearing)?.name;

/** Imported icons have a hash as name. */
const iconPath = ({ name, blobs }: StoredItem, extension: 'svg' | 'png'): string =>
  blobs.find(({ key }) => /^icons\//.test(key) && key.endsWith(`.${extension}`))?.key ??
  iconKey(`${name}.${extension}`);

function printPlacesOfExtraAngles({ name, angles }: StoredItem): Record<string, Record<string, string>> {
  const extra = angles.filter(({ essential }) => !essential);
  if (extra.length === 0) return {};
  return { [name]: Object.fromEntries(extra.map((angle) => [angle.name, angle.printPlace])) };
}

/** Returns the item with the fields that only the item list has. */
export function itemDetailOf(
  item: Item,
  stored: StoredItem,
  variants: readonly ItemVariant[],
  language: Language,
): ItemDetail {
  const enabled = variants.filter((variant) => variant.enabled);
  return {
    ...item,
    variants: [...variants],
    category: { name: stored.categoryName, displayName: stored.categoryDisplayName[language] },
    minPriceWithTax: Math.min(...enabled.map(({ priceWithTax }) => priceWithTax)),
    colorsCount: new Set(enabled.map(({ color }) => color.id)).size,
    printAreas: printAreasOf(stored),
  };
}

/**
 * Returns print areas in the order of `availablePrintPlaces`: jsonb does not preserve the order of
 * keys.
 */
const printAreasOf = ({ availablePrintPlaces, printAreas }: StoredItem): ItemDetail['printAreas'] =>
  Object.fromEntries(availablePrintPlaces.map((place) => [place, printAreas[place]!]));
