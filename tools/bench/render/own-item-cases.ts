import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { openBundle, packedLayersKey, packLayers } from '#blanks';
import { RenderEngine } from '#rendering/render-engine.js';
import { FolderBlobStore } from '#storage';
import { LayerStore } from '../../../apps/material-rendering/src/images/layer.store.js';
import { type AimedCase, type BenchContext, cachedImages, coldImages, draw, single, workOf } from './drawing.js';
import { type Work } from './rounds.js';

/**
 * Returns cases of an item of an operator, whose layers are in the blob store, each beside the same
 * item as it ships.
 */
export async function ownItemCases(context: BenchContext): Promise<AimedCase[]> {
  const material = context.materials[0]!;
  const blobs = new FolderBlobStore(join(dirname(material.path), 'own-items'));
  const { hash: layers, bytes } = packLayers(await openBundle(`${context.blanksFolder}/items/${single.itemName}`));
  await blobs.put(packedLayersKey(layers), bytes);
  const newEngine = (): RenderEngine => {
    const store = new LayerStore(blobs);
    return new RenderEngine({ ...context, packedLayers: (hash, itemName) => store.layersOf(hash, itemName) });
  };
  const drawn = { ...single, edge: 765, format: 'jpg' } as const;

  const cached = (more: { readonly layers?: string }): Work => {
    const [engine, request] = [newEngine(), { ...drawn, hash: randomUUID(), ...more }];
    const drawCached = () => draw(engine, context, material, request);
    return { prepare: drawCached, ...workOf(cachedImages, drawCached) };
  };
  const cold = (more: { readonly layers?: string }): Work => {
    const engine = newEngine();
    return workOf(coldImages, () => draw(engine, context, material, { ...drawn, hash: randomUUID(), ...more }));
  };
  const first = (more: { readonly layers?: string }): Work => {
    let engine: RenderEngine;
    return {
      prepare: () => {
        engine = newEngine();
        return Promise.resolve();
      },
      ...workOf(1, () => draw(engine, context, material, { ...drawn, hash: randomUUID(), ...more })),
    };
  };
  return Object.entries({ cached, cold, 'first ever': first }).map(([name, work]) => ({
    name: `jpg 765, own item, ${name}, beside shipped`,
    contenders: { ours: work({ layers }), floor: work({}) },
    aims: [{ timesFloor: 1.1 }],
  }));
}
