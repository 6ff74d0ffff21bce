import { DomainError } from '#kernel';
import { metricGroup } from '#observability';

const failureLabels = 'the code of a problem, failed';

/** Metrics of rendering and of the intake of textures. */
export const renderingMetrics = metricGroup((make) => ({
  stepSeconds: make.histogram(
    'rendering_step_seconds',
    'Time of an uncached rendering step: plan, blank, decode (in a child process, including the wait for it), proof, ink, compose, encode',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    'step',
    'format',
  ),
  imageSeconds: make.histogram(
    'rendering_image_seconds',
    'Time from the start of rendering until the image is stored',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    'format',
  ),
  images: make.counter(
    'rendering_images_total',
    `Images for a waiting request (requested) or rendered ahead (prepared), by outcome: found, rendered (here or by another process), ${failureLabels}`,
    'purpose',
    'outcome',
  ),
  requestedBytes: make.gauge(
    'rendering_requested_images_bytes',
    'Size of the images rendered on request, at the last sweep. Use the maximum over replicas',
  ),
  requestedEvicted: make.counter(
    'rendering_requested_images_evicted_total',
    'Images deleted because those rendered on request exceeded RENDERED_IMAGES_MB',
  ),
  texts: make.counter('rendering_texts_total', `Texts by outcome: rendered, ${failureLabels}`, 'outcome'),
  textures: make.counter(
    'rendering_textures_total',
    `Uploaded and fetched images by outcome: new, known (same bytes as a stored one), ${failureLabels}`,
    'outcome',
  ),
}));

/**
 * Returns the label value of a failure. Problem codes are a closed set, so the label stays bounded.
 */
export const failureLabel = (error: unknown): string => (error instanceof DomainError ? error.kind.code : 'failed');
