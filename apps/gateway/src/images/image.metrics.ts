import { metricGroup } from '#observability';

/** Whether pictures are there when they are asked for. */
export const imageMetrics = metricGroup((make) => ({
  pictures: make.counter(
    'gateway_pictures_total',
    'Pictures that may be asked for by outcome: found in the blob store, drawn now, none (404), not-yet (503), failed',
    'outcome',
  ),
}));
