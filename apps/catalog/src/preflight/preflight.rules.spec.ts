import { type Language, type PreflightCode, preflightCodes } from '#contracts';
import { catalog, shirt } from '../testing/catalog-fixture.js';
import { type PrintedProduct } from '../print-files/print-file.rules.js';
import { preflightOf, preflightRequestOf } from './preflight.rules.js';

const printing = {
  technique: 'direct-to-garment',
  dpi: 200,
  bleed: 0,
  safeZone: 5,
  colorSpace: 'rgb',
  whiteUnderbase: 'none',
  mirror: false,
} as const;
const hidden = [{ x: 0, y: 0, width: 20, height: 400 }];
const item = { ...shirt, printing: { front: printing, back: { ...printing, hidden } } };
const snapshot = { ...catalog, item: () => item };
const artwork = { width: 3_000, height: 4_000, dominantRgb: '#274b6d' };
const product: PrintedProduct = {
  id: 7,
  userId: 3,
  materialId: 12,
  materialTitle: 'Lighthouse',
  textureHash: 'a'.repeat(64),
  artwork,
  itemId: shirt.id,
  variantId: 11,
  resizeMode: null,
  placement: null,
  prints: [{ place: 'back', textureHash: 'b'.repeat(64), enabled: true, artwork }],
  updatedAt: new Date(),
};

it('a request has the prints of the print files, and each enabled color of the item once', () => {
  const { places, colors } = preflightRequestOf(product, snapshot);
  expect(places).toMatchObject([
    { place: 'front', textureHash: 'a'.repeat(64), technique: 'direct-to-garment', safeZone: 5, hidden: [] },
    { place: 'back', textureHash: 'b'.repeat(64), hidden },
  ]);
  expect(places[0]!.placed.matrix).toEqual([300, 0, 0, 400, 0, 0]);
  expect(colors).toEqual([
    { name: 'white', rgb: '#ffffff' },
    { name: 'black', rgb: '#000000' },
  ]);
});

const report = (codes: readonly PreflightCode[], language: Language = 'en', value = 0.123456) => {
  const findings = codes.map((code) => ({ code, value, limit: 0.1, colors: ['white'] }));
  const measured = { place: 'front', effectiveDpi: 254.199, emptyShare: 0.123456, outOfGamutShare: 0.123456, findings };
  return preflightOf(7, item, [measured], language);
};

describe('a report', () => {
  it('has all findings, and only the gravest as a warning of its place', () => {
    const { productId, places, warnings } = report(['low-resolution', 'hidden', 'thin-lines']);
    expect(productId).toBe(7);
    const [{ findings, warning, ...rest }] = places as [(typeof places)[number]];
    expect(rest).toEqual({
      place: 'front',
      technique: 'direct-to-garment',
      effectiveDpi: 254.1,
      emptyShare: 0.1234,
      outOfGamutShare: 0.1234,
    });
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'low-resolution warning',
      'hidden warning',
      'thin-lines note',
    ]);
    expect(warning).toEqual(findings[0]);
    expect(warnings).toEqual([{ place: 'front', code: 'low-resolution', message: findings[0]!.message }]);
  });

  it('has no warning without a finding that a customer may return', () => {
    const { places, warnings } = report(['outside-safe-zone', 'mostly-empty']);
    expect([places[0]!.warning, warnings]).toEqual([null, []]);
  });

  it('rounds values down', () => {
    expect(report(['hidden']).places[0]!.findings[0]).toMatchObject({ value: 0.1234 });
    expect(report(['hidden'], 'en', 0.00001).places[0]!.findings[0]!.message).toContain(' 0.1 %');
    expect(report(['low-resolution'], 'en', 149.9).places[0]!.findings[0]!.message).toMatch(/^149 dpi/);
  });

  it.each<[Language, RegExp]>([
    ['en', /^[\x20-\x7e²]*front[\x20-\x7e²]*\.$/],
    ['ja', /^front.*。$/],
  ])('has a message for each finding in the language %s', (language, pattern) => {
    const messages = report(preflightCodes, language).places[0]!.findings.map(({ message }) => message);
    for (const message of messages) expect(message).toMatch(pattern);
    expect(new Set(messages).size).toBe(preflightCodes.length);
  });
});
