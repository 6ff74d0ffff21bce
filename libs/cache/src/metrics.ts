import { metricGroup } from '#observability';

/** Metrics of all caches of a process, labelled with the name of the cache. */
export const cacheMetrics = metricGroup((make) => ({
  lookups: make.readCounter(
    'cache_lookups_total',
    'Lookups by outcome: hit, shared (the value that another caller was loading), miss',
    'cache',
    'outcome',
  ),
  evictions: make.readCounter('cache_evictions_total', 'Entries evicted because the cache was full', 'cache'),
  bytes: make.readGauge('cache_bytes', 'Estimated memory of the entries', 'cache'),
  limit: make.readGauge('cache_limit_bytes', 'Limit of the estimated memory of the entries', 'cache'),
}));
