import { backgroundRgb, fullLight } from '#rendering/light.js';

/**
 * Light of an item in our format (blanks/FORMAT.md), fitted to drawings of a document in which the
 * color of the item or of the print is replaced by three greys.
 */
interface LightPlanes {
  readonly shade: Uint8Array;
  readonly mask: Uint8Array;
  readonly gloss: Uint8Array;
  /** Mean distance of the fit to the drawings for each pixel, 0..255. */
  readonly residual: Float32Array;
  /** Change of the drawing for a change of the grey by 1. */
  readonly slope: Float32Array;
}

const gamma = 2.2;
const [background] = backgroundRgb;
const [maxShade, maxGloss] = [255 / fullLight, 0.255];
/** Below this slope the grey has no effect, and the pixel is part of the background. */
const minSlope = 0.02;
/**
 * Levels by which the fit with a partial mask must be better than that with a full one: a full mask
 * is easier to edit.
 */
const preference = 1.5;

interface Fit {
  readonly light: number;
  readonly gloss: number;
  readonly coverage: number;
}

/** Value of the format for a grey. */
function predicted({ light, gloss, coverage }: Fit, grey: number): number {
  const shown = (albedo: number): number => {
    const lit = Math.min(255, albedo * light);
    return gloss === 0 ? lit : 255 * ((lit / 255) ** gamma + gloss) ** (1 / gamma);
  };
  const item = shown(grey);
  return Math.min(255, coverage === 1 ? item : item * coverage + shown(background) * (1 - coverage));
}

function residualOf(fit: Fit, greys: readonly number[], values: readonly number[]): number {
  return greys.reduce((sum, grey, index) => sum + Math.abs(predicted(fit, grey) - values[index]!), 0) / greys.length;
}

/** Light of values 0..255 in steps of 1/16, closer than the drawings are. */
const linearTable = Float64Array.from({ length: 16 * 255 + 2 }, (_, step) => (step / 16 / 255) ** gamma);

function linear(value: number): number {
  const step = Math.min(255, Math.max(0, value)) * 16;
  const below = Math.floor(step);
  return linearTable[below]! + (step - below) * (linearTable[below + 1]! - linearTable[below]!);
}

/** Part of the item without background: light and gloss, which is added in linear light. */
function opaqueFit(greys: readonly number[], values: readonly number[]): Fit {
  const last = greys.length - 1;
  const [dark, bright] = [linear(values[0]!), linear(values[last]!)];
  const [darkGrey, brightGrey] = [linear(greys[0]!), linear(greys[last]!)];
  const steepness = (bright - dark) / (brightGrey - darkGrey);
  const gloss = Math.min(maxGloss, dark - steepness * darkGrey);
  if (gloss > 0.0005) {
    const light = Math.max(0, (bright - gloss) / brightGrey) ** (1 / gamma);
    return { light: Math.min(maxShade, light), gloss, coverage: 1 };
  }
  const light = ratio(greys, values);
  return { light: Math.min(maxShade, light), gloss: 0, coverage: 1 };
}

const ratio = (greys: readonly number[], values: readonly number[]): number =>
  greys.reduce((sum, grey, index) => sum + grey * values[index]!, 0) /
  greys.reduce((sum, grey) => sum + grey * grey, 0);

/** Part item, part background, without gloss: exact where the color is mixed with another one. */
function mixedFit(slope: number, offset: number): Fit {
  const light = Math.max(1e-3, slope + Math.max(0, offset) / background);
  return { light: Math.min(maxShade, light), gloss: 0, coverage: Math.min(1, slope / light) };
}

/**
 * Fits light, mask and gloss.
 *
 * @param greys three greys, 0..255, from dark to bright
 * @param drawings brightness of each pixel for each grey, 0..255
 */
export function fitLight(greys: readonly number[], drawings: readonly Float32Array[]): LightPlanes {
  const length = drawings[0]!.length;
  const planes = {
    shade: new Uint8Array(length),
    mask: new Uint8Array(length),
    gloss: new Uint8Array(length),
    residual: new Float32Array(length),
    slope: new Float32Array(length),
  };
  const mean = greys.reduce((sum, grey) => sum + grey, 0) / greys.length;
  const spread = greys.reduce((sum, grey) => sum + (grey - mean) ** 2, 0);
  const values = [0, 0, 0];
  for (let index = 0; index < length; index++) {
    let [sum, products] = [0, 0];
    for (let i = 0; i < 3; i++) {
      values[i] = drawings[i]![index]!;
      sum += values[i]!;
      products += values[i]! * (greys[i]! - mean);
    }
    const slope = products / spread;
    const fit = bestFit(greys, values, slope, sum / 3 - slope * mean);
    planes.shade[index] = Math.min(255, Math.round(fullLight * fit.light));
    planes.mask[index] = Math.round(255 * fit.coverage);
    planes.gloss[index] = Math.round(1000 * fit.gloss);
    planes.slope[index] = slope;
    if (fit.coverage > 0) planes.residual[index] = residualOf(fit, greys, values);
  }
  return planes;
}

function bestFit(greys: readonly number[], values: readonly number[], slope: number, offset: number): Fit {
  if (slope < minSlope) {
    const brightness = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { light: brightness / background, gloss: 0, coverage: 0 };
  }
  const opaque = opaqueFit(greys, values);
  const residual = residualOf(opaque, greys, values);
  if (residual <= preference) return opaque;
  const mixed = mixedFit(slope, offset);
  return residual <= residualOf(mixed, greys, values) + preference ? opaque : mixed;
}
