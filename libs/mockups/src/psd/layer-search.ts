import { type Layer, type Psd } from 'ag-psd';
import { allLayers, type PlacedInTree } from './psd-document.js';
import { PsdMistake, shownName } from './psd-mistake.js';

const namesOf = (layers: readonly PlacedInTree[]): string =>
  layers
    .slice(0, 10)
    .map(({ layer }) => shownName(layer.name))
    .join(', ');

/**
 * Returns the smart object that is printed.
 *
 * @param wanted its name or path; null = the only visible one
 * @throws PsdMistake
 */
export function findPrintLayer(layers: readonly PlacedInTree[], wanted: string | null): Layer {
  const smart = layers.filter(({ layer }) => layer.placedLayer);
  const visible = smart.filter(({ isVisible }) => isVisible);
  if (smart.length === 0) throw new PsdMistake('has no smart object');
  if (wanted === null) {
    if (visible.length === 0) throw new PsdMistake(`has only hidden smart objects: ${namesOf(smart)}`);
    if (visible.length > 1)
      throw new PsdMistake(
        `has ${visible.length} visible smart objects, choose one by --print-layer: ${namesOf(visible)}`,
      );
    return visible[0]!.layer;
  }
  const named = smart.filter(({ layer, path }) => layer.name === wanted || path === wanted);
  if (named.length === 0) throw new PsdMistake(`has no smart object ${shownName(wanted)}, only ${namesOf(smart)}`);
  if (named.length > 1) throw new PsdMistake(`has ${named.length} smart objects ${shownName(wanted)}: rename one`);
  if (!named[0]!.isVisible) throw new PsdMistake(`has a hidden smart object ${shownName(wanted)}: show it`);
  return named[0]!.layer;
}

/**
 * Returns the layers that may have the color of the item: the named one, or the visible fills of
 * one color from the top.
 *
 * @throws PsdMistake when there is not one layer with the name
 */
export function colorLayers(psd: Psd, printLayer: Layer, wanted: string | null): Layer[] {
  const layers = allLayers(psd.children).filter(({ isVisible, layer }) => isVisible && layer !== printLayer);
  if (wanted === null)
    return layers
      .map(({ layer }) => layer)
      .filter(({ vectorFill }) => vectorFill?.type === 'color')
      .reverse();
  const named = layers.filter(({ layer, path }) => layer.name === wanted || path === wanted);
  if (named.length !== 1)
    throw new PsdMistake(`has ${named.length} visible layers ${shownName(wanted)} for the color, not 1`);
  return [named[0]!.layer];
}
