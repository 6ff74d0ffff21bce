export { writeBundleFiles } from './bundle/layer-folder.js';
export { drawReport } from './bundle/report.js';
export { masterSide } from './bundle/master.js';
export { bundleFromPhotos } from './photo/from-photo.js';
export { readPsd } from './psd/from-psd.js';
export { type Mockup } from './psd/mockup.schema.js';
export { testCard } from './psd/print-pixels.js';
export { type PsdBundle, psdBundle, PsdDescription } from './psd/psd-bundle.js';
