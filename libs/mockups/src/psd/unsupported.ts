import { type Layer, type Psd } from 'ag-psd';
import { channelModes, colorModes } from './blend.js';
import { foreignSpace } from './fill-color.js';
import { allLayers, modeOf } from './psd-document.js';
import { shownName } from './psd-mistake.js';

/** A part of a document that is not drawn as Photoshop does. */
export interface Difference {
  /** Name of the layer; undefined for the document. */
  readonly layer?: string;
  readonly feature: string;
  /** True if images of the item look different. */
  readonly differs: boolean;
}

const isOn = (effect: { readonly enabled?: boolean | undefined } | undefined): boolean =>
  effect !== undefined && effect.enabled !== false;

function effectsOf({ effects }: Layer): string[] {
  if (!effects || effects.disabled) return [];
  return Object.entries(effects)
    .filter(([, value]) =>
      Array.isArray(value) ? value.some(isOn) : typeof value === 'object' && isOn(value as object),
    )
    .map(([name]) => `effect ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`);
}

/** Returns whether a layer is blended only with some brightness of the layers below. */
function hasBlendIf({ blendingRanges }: Layer): boolean {
  if (!blendingRanges) return false;
  const { compositeGrayBlendSource, compositeGraphBlendDestinationRange, ranges } = blendingRanges;
  const all = [
    compositeGrayBlendSource,
    compositeGraphBlendDestinationRange,
    ...ranges.flatMap(({ sourceRange, destRange }) => [sourceRange, destRange]),
  ];
  // Two dark limits and two bright ones
  return all.some(([a, b, c, d]) => a !== 0 || b !== 0 || c !== 255 || d !== 255);
}

/** Modes in which Photoshop treats fill unlike opacity. */
const fillModes: readonly string[] = [
  ...['color burn', 'linear burn', 'color dodge', 'linear dodge'],
  ...['vivid light', 'linear light', 'hard mix', 'difference'],
];

function isKnownMode(layer: Layer): boolean {
  const mode = modeOf(layer);
  return (
    mode === 'normal' || mode in channelModes || mode in colorModes || (mode === 'pass through' && !!layer.children)
  );
}

/** Returns the features of a layer that are not drawn, or not exactly. */
function missingFeatures(layer: Layer): string[] {
  const mode = modeOf(layer);
  const filters = layer.placedLayer?.filter;
  const space = layer.vectorFill?.type === 'color' ? foreignSpace(layer.vectorFill.color) : undefined;
  const hasOwnFill = layer.vectorFill !== undefined && layer.vectorFill.type !== 'color';
  return [
    ...(layer.adjustment ? [`adjustment ${layer.adjustment.type}`] : []),
    ...effectsOf(layer),
    ...(isKnownMode(layer) ? [] : [`blend mode ${mode}`]),
    ...((layer.fillOpacity ?? 1) < 1 && fillModes.includes(mode) ? [`fill with blend mode ${mode}`] : []),
    ...(filters?.enabled ? filters.list.filter(isOn).map(({ type }) => `filter ${type}`) : []),
    ...(layer.vectorMask && !layer.vectorMask.disable && !layer.mask?.fromVectorData ? ['vector mask'] : []),
    ...((layer.mask?.userMaskFeather ?? 0) > 0 ? ['feather of the mask'] : []),
    ...(hasBlendIf(layer) ? ['blending ranges'] : []),
    ...((layer.channelBlendingRestrictions ?? []).length > 0 ? ['blending of some channels only'] : []),
    ...(layer.knockout ? ['knockout'] : []),
    ...(layer.blendClippendElements === false ? ['clipped layers that are not blended as a group'] : []),
    ...(layer.artboard ? ['artboard'] : []),
    ...(space === undefined ? [] : [`color of the fill in ${space}, approximated`]),
    ...(hasOwnFill && (layer.right ?? 0) <= (layer.left ?? 0) ? [`fill ${layer.vectorFill!.type} without pixels`] : []),
  ];
}

/** Modes that light and gloss of our format have for all colors of the print. */
const exactModes: readonly string[] = ['normal', 'pass through', 'multiply', 'screen'];

/** Features that are drawn as Photoshop has stored their pixels. */
function storedFeatures(layer: Layer, printLayer: Layer): string[] {
  return [
    ...(layer.text ? ['text, drawn as stored: no font is needed'] : []),
    ...(layer.placedLayer && layer !== printLayer ? ['another smart object, drawn as stored'] : []),
  ];
}

/**
 * Returns everything in the visible layers that is not supported.
 *
 * @param printLayer smart object whose content is replaced
 */
export function differencesOf(psd: Psd, printLayer: Layer): Difference[] {
  const layers = allLayers(psd.children);
  const print = layers.findIndex(({ layer }) => layer === printLayer);
  const approximated = (layer: Layer, index: number): string[] =>
    index > print && isKnownMode(layer) && !exactModes.includes(modeOf(layer))
      ? [`blend mode ${modeOf(layer)} above the print, approximated`]
      : [];
  return layers
    .map((it, index) => ({ ...it, index }))
    .filter(({ isVisible }) => isVisible)
    .flatMap(({ layer, path, index }) => [
      ...[...missingFeatures(layer), ...approximated(layer, index)].map((feature) => ({
        layer: shownName(path),
        feature,
        differs: true,
      })),
      ...storedFeatures(layer, printLayer).map((feature) => ({ layer: shownName(path), feature, differs: false })),
    ]);
}
