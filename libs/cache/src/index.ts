export { Cache, type CacheOptions, type Loading } from './cache.js';
export { CachedValue, type CachedValueOptions } from './cached-value.js';
export { cacheMetrics } from './metrics.js';
