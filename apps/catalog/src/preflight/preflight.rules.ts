import {
  type Language,
  type PayloadOf,
  type Preflight,
  type PreflightFinding,
  preflightSeverities,
  type ReplyOf,
  type Services,
} from '#contracts';
import { type CatalogItem, type CatalogSnapshot } from '../items/catalog.snapshot.js';
import { placeName } from '../materials/print-warning.rules.js';
import { printOrderOf, type PrintedProduct } from '../print-files/print-file.rules.js';
import { preflightTexts } from './preflight.texts.js';

type Rendering = Services['material-rendering'];
type Request = PayloadOf<Rendering, 'preflight.measure'>;
type Measured = ReplyOf<Rendering, 'preflight.measure'>['places'][number];

/** Returns the prints of a product, as its print files contain them, and all colors of the item. */
export function preflightRequestOf(product: PrintedProduct, catalog: CatalogSnapshot): Request {
  const item = catalog.item(product.itemId)!;
  const { places } = printOrderOf(product, catalog, {});
  const colors = item.variants.filter(({ enabled }) => enabled).map(({ color: { name, rgb } }) => ({ name, rgb }));
  return {
    places: places.map(({ place, textureHash, placed, area }) => {
      const { technique, dpi, bleed, safeZone, colorSpace, hidden = [] } = item.printing[place]!;
      return { place, textureHash, placed, area, technique, dpi, bleed, safeZone, colorSpace, hidden };
    }),
    colors: [...new Map(colors.map((color) => [color.name, color])).values()],
  };
}

/** Rounds down, so that a value below a limit is never shown as the limit. */
const rounded = (value: number, parts: number): number => Math.floor(value * parts) / parts;

/** Returns the report of a product: all findings, and the gravest warning of each place. */
export function preflightOf(
  productId: number,
  item: CatalogItem,
  measured: readonly Measured[],
  language: Language,
): Preflight {
  const places = measured.map((it): Preflight['places'][number] => {
    const { technique } = item.printing[it.place]!;
    const print = { place: placeName(item, it.place, language), technique };
    const findings = it.findings.map((finding): PreflightFinding => ({
      ...finding,
      value: rounded(finding.value, 10_000),
      severity: preflightSeverities[finding.code],
      message: preflightTexts[language][finding.code]({ ...print, ...finding }),
    }));
    return {
      ...it,
      technique,
      effectiveDpi: rounded(it.effectiveDpi, 10),
      emptyShare: rounded(it.emptyShare, 10_000),
      outOfGamutShare: it.outOfGamutShare && rounded(it.outOfGamutShare, 10_000),
      findings,
      warning: findings.find(({ severity }) => severity === 'warning') ?? null,
    };
  });
  return {
    productId,
    places,
    warnings: places.flatMap(({ place, warning }) =>
      warning ? [{ place, code: warning.code, message: warning.message }] : [],
    ),
  };
}
