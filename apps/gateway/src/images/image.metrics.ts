import { metricGroup } from '#observability';

/** Metrics of image requests. */
export const imageMetrics = metricGroup((make) => ({
  images: make.counter(
    'gateway_images_total',
    'Signed image requests by outcome: found (in the blob store), rendered (on request), none (404), not-yet (503), failed',
    'outcome',
  ),
}));
