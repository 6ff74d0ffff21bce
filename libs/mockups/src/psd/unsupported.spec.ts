import { type Color, type Layer } from 'ag-psd';
import { allLayers, readDocument } from './psd-document.js';
import { group, layerOf, psdOf, smartObject } from './testing/psd-file.js';
import { differencesOf } from './unsupported.js';

const corners = [
  [2, 2],
  [8, 2],
  [8, 8],
  [2, 8],
] as [[number, number], [number, number], [number, number], [number, number]];
const print = (more: Layer = {}) => smartObject('Print', { width: 6, height: 6, corners, ...more });
const plain = (more: Layer) =>
  layerOf('Top', { left: 0, top: 0, width: 10, height: 10 }, () => [0.5, 0.5, 0.5, 1], more);

const fillOf = (color: Color): Layer => ({ vectorFill: { type: 'color', color } });

/** Writes a document, reads it, and lists its differences. */
function differences(layers: Layer[]) {
  const psd = readDocument(psdOf(10, layers));
  return differencesOf(psd, allLayers(psd.children).find(({ layer }) => layer.name === 'Print')!.layer);
}

describe('differences', () => {
  it.each<[string, Layer, string]>([
    [
      'curves',
      {
        adjustment: {
          type: 'curves',
          rgb: [
            { input: 0, output: 0 },
            { input: 255, output: 200 },
          ],
        },
      },
      'adjustment curves',
    ],
    [
      'levels',
      {
        adjustment: {
          type: 'levels',
          rgb: { shadowInput: 0, highlightInput: 200, shadowOutput: 0, highlightOutput: 255, midtoneInput: 1 },
        },
      },
      'adjustment levels',
    ],
    [
      'a drop shadow',
      {
        effects: {
          dropShadow: [
            {
              enabled: true,
              present: true,
              showInDialog: true,
              blendMode: 'multiply',
              color: { r: 0, g: 0, b: 0 },
              opacity: 0.5,
              size: { units: 'Pixels', value: 3 },
              distance: { units: 'Pixels', value: 3 },
              choke: { units: 'Pixels', value: 0 },
              angle: 120,
            },
          ],
        },
      },
      'effect drop shadow',
    ],
    ['dissolve', { blendMode: 'dissolve' }, 'blend mode dissolve'],
    ['overlay above the print', { blendMode: 'overlay' }, 'blend mode overlay above the print, approximated'],
    ['a part of the fill', { blendMode: 'color burn', fillOpacity: 0.5 }, 'fill with blend mode color burn'],
    [
      'a vector mask',
      {
        vectorMask: {
          paths: [
            {
              open: false,
              operation: 'combine',
              fillRule: 'even-odd',
              knots: [
                { linked: true, points: [1, 1, 1, 1, 1, 1] },
                { linked: true, points: [5, 5, 5, 5, 5, 5] },
              ],
            },
          ],
        },
      },
      'vector mask',
    ],
    [
      'a feathered mask',
      {
        mask: {
          left: 0,
          top: 0,
          right: 10,
          bottom: 10,
          defaultColor: 0,
          userMaskFeather: 4,
          imageData: plain({}).imageData!,
        },
      },
      'feather of the mask',
    ],
    ['a fill in CMYK', fillOf({ c: 10, m: 20, y: 30, k: 0 }), 'color of the fill in CMYK, approximated'],
    ['a fill in Lab', fillOf({ l: 50, a: 10, b: 10 }), 'color of the fill in Lab, approximated'],
    ['knockout', { knockout: true }, 'knockout'],
    [
      'blending ranges',
      {
        blendingRanges: {
          compositeGrayBlendSource: [0, 0, 100, 200],
          compositeGraphBlendDestinationRange: [0, 0, 255, 255],
          ranges: [],
        },
      },
      'blending ranges',
    ],
  ])('name %s', (_, more, feature) => {
    const found = differences([print(), plain(more)]);
    expect(found).toContainEqual({ layer: '"Top"', feature, differs: true });
    if (!feature.startsWith('fill')) expect(found).toHaveLength(1);
  });

  it('name filters of the smart object', () => {
    const layer = print();
    layer.placedLayer!.filter = {
      enabled: true,
      validAtPosition: true,
      maskEnabled: false,
      maskLinked: false,
      maskExtendWithWhite: false,
      list: [
        {
          name: 'Gaussian Blur',
          opacity: 1,
          blendMode: 'normal',
          enabled: true,
          hasOptions: true,
          foregroundColor: { r: 0, g: 0, b: 0 },
          backgroundColor: { r: 255, g: 255, b: 255 },
          type: 'gaussian blur',
          filter: { radius: { units: 'Pixels', value: 3 } },
        },
      ],
    };
    expect(differences([layer])).toEqual([{ layer: '"Print"', feature: 'filter gaussian blur', differs: true }]);
  });

  it('do not contain hidden and supported layers', () => {
    const hidden = group('Group', [plain({ knockout: true })], 'pass through', { hidden: true });
    const supported = [
      ...(['multiply', 'screen', 'normal'] as const).map((blendMode) => plain({ blendMode, opacity: 0.4 })),
      ...[{ h: 0.5, s: 50, b: 50 }, { k: 50 }].map((color) => plain(fillOf(color))),
    ];
    expect(differences([plain({ blendMode: 'overlay' }), print(), hidden, ...supported])).toEqual([]);
  });

  it('name texts and other smart objects, which are drawn as stored', () => {
    const text = plain({ text: { text: 'Hello' } });
    const other = { ...print(), name: 'Other' };
    expect(differences([print(), text, other])).toEqual([
      { layer: '"Top"', feature: 'text, drawn as stored: no font is needed', differs: false },
      { layer: '"Other"', feature: 'another smart object, drawn as stored', differs: false },
    ]);
  });
});
