export { invalidBundle, unreadable } from './bundles/bundle.errors.js';
export { changedEntries, checkContent, type ValidContent } from './bundles/bundle-content.js';
export { checkBundle } from './bundles/check-bundle.js';
export { iconPng, iconSide } from './bundles/icon-png.js';
export { openBundle } from './bundles/open-bundle.js';
export { readFileWithin } from './bundles/read-file.js';
export {
  BundleItem,
  type CatalogFiles,
  type ColorFile,
  type ItemFile,
  label,
  length,
  name,
  price,
  Printing,
} from './items/item-file.schema.js';
export { blanksFolder, readCatalogFiles } from './items/item.files.js';
export { itemSchema, itemSchemaPath } from './items/item-json.schema.js';
export { aspectTolerance } from './layers/check-layer.js';
export { type Fabric, type Layer, layerImages, layersBytes, readLayers } from './layers/layer.js';
export { packedLayersKey, packLayers, readPackedLayers } from './layers/packed-layers.js';
