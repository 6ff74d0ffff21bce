import { metricGroup } from '#observability';

/** The metrics of all caches of a process, by the name of the cache. */
export const cacheMetrics = metricGroup((make) => ({
  lookups: make.readCounter(
    'cache_lookups_total',
    'Lookups by outcome: hit, shared (the value that another caller was loading), miss',
    'cache',
    'outcome',
  ),
  evictions: make.readCounter('cache_evictions_total', 'Entries evicted because the cache was full', 'cache'),
  bytes: make.readGauge('cache_bytes', 'Estimated memory of the entries', 'cache'),
  limit: make.readGauge('cache_limit_bytes', 'Largest memory that the entries may take', 'cache'),
}));
