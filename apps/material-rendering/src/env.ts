import { z } from 'zod';
import {
  allowedHosts,
  blobStoreSettings,
  listOf,
  serviceSettings,
  settingsClass,
  webUrl,
  wholeNumber,
  withBothS3Keys,
} from '#config';
import { imageSizes } from '#contracts';
import { sandboxFolder } from './children/sandbox-env.js';

/** Roles of a process of this app: it serves requests, consumes events, or both. */
const renderingRoles = ['requests', 'workers'] as const;

const Settings = serviceSettings.extend({
  ...blobStoreSettings,
  RENDERING_ROLES: listOf(z.enum(renderingRoles), renderingRoles)
    .refine((roles) => roles.size > 0, {
      error: 'must name requests, workers or both',
    })
    .meta({ kind: `list of ${renderingRoles.join(', ')}` })
    .describe('Work of a process: requests, events or both'),
  RENDER_CONCURRENCY: wholeNumber(2, 1, 64).describe('Materials that a worker renders concurrently'),
  IMAGE_SIZES: imageSizes,
  SANDBOX_FOLDER: sandboxFolder.optional(),
  RENDERED_IMAGES_MB: wholeNumber(4_096, 1, 1_000_000_000).describe(
    'Limit for images rendered on request, in MB (1,048,576 bytes). The least recently used are deleted',
  ),
  PREVIEW_SECONDS: wholeNumber(3_600, 1, 86_400).describe('Lifetime of previews in seconds'),
  PRINT_FILES_DAYS: wholeNumber(7, 2, 365).describe(
    'Days after which print files are deleted that nobody has requested again',
  ),
  TEXTURE_ALLOWED_HOSTS: allowedHosts.describe(
    'Internal hosts from which textures may be fetched. For tests; empty in production',
  ),
  TEXTURE_QUOTA_MB: wholeNumber(5_120, 1, 1_000_000_000).describe(
    'Quota of each user for textures in the blob store, in MB (1,048,576 bytes)',
  ),
  IMAGE_PURGE_URL: webUrl
    .optional()
    .describe(
      'Purge hook, which receives tags and path patterns of withdrawn images: [runbook.md](runbook.md#taking-images-down)',
    ),
  IMAGE_PURGE_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]+$/, { error: 'must contain only visible ASCII characters' })
    .optional()
    .meta({ kind: 'text', secret: true })
    .describe('Sent to the purge hook as `Authorization: Bearer`'),
  TEXTURE_FETCH_TIMEOUT_MS: wholeNumber(10_000, 100, 20_000).describe('Timeout for fetching a texture'),
});

/** Matches hosts of the internal network: this machine, or a service of the cluster. */
const internalHost = /^(?:127\.[\d.]+|\[::1\]|[\w-]+|.+\.(?:svc|svc\.cluster\.local|internal))$/;

export const Env = withBothS3Keys(Settings).superRefine(({ IMAGE_PURGE_URL, IMAGE_PURGE_SECRET }, context) => {
  if (IMAGE_PURGE_URL === undefined || IMAGE_PURGE_SECRET === undefined) return;
  if (!URL.canParse(IMAGE_PURGE_URL)) return;
  const { protocol, hostname } = new URL(IMAGE_PURGE_URL);
  if (protocol === 'https:' || internalHost.test(hostname)) return;
  const message = 'must begin with https:// when IMAGE_PURGE_SECRET is set, except for a host of the internal network';
  context.addIssue({ code: 'custom', path: ['IMAGE_PURGE_URL'], message });
});

/** Settings of material-rendering. */
export abstract class RenderingEnv extends settingsClass<z.output<typeof Env>>() {}
