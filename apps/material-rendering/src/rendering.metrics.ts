import { DomainError } from '#kernel';
import { metricGroup } from '#observability';

const whatFailed = 'or the code of its refusal, or failed';

/** What is drawn and taken in, and how long it takes. */
export const renderingMetrics = metricGroup((make) => ({
  stepSeconds: make.histogram(
    'rendering_step_seconds',
    'How long a step of a picture took that was not in memory: plan, blank, decode (in another process, with the wait for it), ink, compose, encode',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    'step',
    'format',
  ),
  pictureSeconds: make.histogram(
    'rendering_picture_seconds',
    'How long a picture took from the start of its drawing until it was stored',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    'format',
  ),
  pictures: make.counter(
    'rendering_pictures_total',
    `Pictures that somebody waits for (asked) or that are drawn before anybody asks (prepared), by outcome: found, drawn (here or by another process), ${whatFailed}`,
    'purpose',
    'outcome',
  ),
  cacheLooks: make.readCounter(
    'rendering_cache_total',
    'Intermediate results that were needed, by whether they were in memory: hit, miss',
    'cache',
    'outcome',
  ),
  cacheBytes: make.readGauge('rendering_cache_bytes', 'Intermediate results in memory', 'cache'),
  drawnBytes: make.gauge(
    'rendering_drawn_images_bytes',
    'Images that clients had drawn in the blob store, at the last sweep; each worker shows those of all',
  ),
  drawnEvicted: make.counter(
    'rendering_drawn_images_evicted_total',
    'Images that were deleted because those that clients had drawn were more than DRAWN_IMAGES_MB',
  ),
  texts: make.counter('rendering_texts_total', `Texts by outcome: written, ${whatFailed}`, 'outcome'),
  textures: make.counter(
    'rendering_textures_total',
    `Pictures of clients by outcome: new, known (the same bytes came before), ${whatFailed}`,
    'outcome',
  ),
}));

/** What a failure is counted as. The codes of refusals are a closed set. */
export const failureOf = (error: unknown): string => (error instanceof DomainError ? error.kind.code : 'failed');
