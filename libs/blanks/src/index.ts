export { checkBundle } from './bundles/check-bundle.js';
export { openBundle } from './bundles/open-bundle.js';
export { type CatalogFiles, type ColorFile, type ItemFile, type Printing } from './items/item-file.schema.js';
export { blanksFolder, readCatalogFiles } from './items/item.files.js';
export { itemSchema, itemSchemaPath } from './items/item-json.schema.js';
export { type Layer, readLayers } from './layers/layer.js';
export { packedLayersKey, packLayers, readPackedLayers } from './layers/packed-layers.js';
