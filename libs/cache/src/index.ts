export { Cache, type Loading } from './cache.js';
export { CachedValue } from './cached-value.js';
export { cacheMetrics } from './metrics.js';
export { cacheNames } from './names.js';
export { ValueUse } from './value-use.js';
