import { z } from 'zod';

/** Location of blobs in an S3 store: a bucket and a key prefix. */
export interface S3Location {
  readonly bucket: string;
  /**
   * Prefix of every key, without slashes around it; empty when blobs are at the top of the bucket.
   */
  readonly prefix: string;
  readonly region: string | undefined;
  /** Origin of the server, for a store other than Amazon S3. */
  readonly endpoint: string | undefined;
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixPattern = /^(?:[\w.+-]+(?:\/[\w.+-]+)*)?$/;
const parameters = ['region', 'endpoint'];

/**
 * Parses `s3://bucket/prefix?region=eu-west-1&endpoint=https://s3.example.com`. Everything except
 * the bucket is optional.
 *
 * @throws TypeError with the reason, which never quotes the URL: it may contain keys
 */
export function parseS3Url(url: string): S3Location {
  const { hostname, port, pathname, searchParams, username, password } = new URL(url);
  if (username !== '' || password !== '' || port !== '')
    throw new TypeError('must be s3://bucket/prefix without credentials and port');
  if (!bucketPattern.test(hostname)) throw new TypeError('must name a bucket, as s3://bucket/prefix');
  const prefix = pathname.replace(/^\//, '').replace(/\/$/, '');
  if (!prefixPattern.test(prefix) || prefix.length > 200)
    throw new TypeError('must have a prefix of at most 200 letters, digits and . _ + -, with / between them');
  if ([...searchParams.keys()].some((name) => !parameters.includes(name)))
    throw new TypeError(`must have no parameters other than ${parameters.join(' and ')}`);
  const endpoint = searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isOrigin(endpoint))
    throw new TypeError('must have an origin as endpoint, such as https://s3.example.com');
  return { bucket: hostname, prefix, region: searchParams.get('region') ?? undefined, endpoint };
}

function isOrigin(endpoint: string): boolean {
  if (!/^https?:/.test(endpoint) || !URL.canParse(endpoint)) return false;
  return new URL(endpoint).href === `${new URL(endpoint).origin}/`;
}

function findUrlError(url: string): string | undefined {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'file:') return undefined;
  if (protocol !== 's3:') return 'must be a URL that starts with file:// or s3://';
  try {
    parseS3Url(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export const blobStoreUrl = z
  .string()
  .superRefine((url, context) => {
    const message = findUrlError(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ kind: 'file:// or s3:// URL' })
  .describe('Store of uploads, textures and images: a folder or [a bucket](blob-store.md)');

/**
 * Access keys of a bucket. Without them the credential chain of the AWS SDK applies: the role of a
 * service account or of a machine.
 */
export const s3Credentials = {
  AWS_ACCESS_KEY_ID: z
    .string()
    .optional()
    .meta({ kind: 'text', secret: true })
    .describe('Access key ID of the bucket. Without it the credential chain of the AWS SDK applies'),
  AWS_SECRET_ACCESS_KEY: z.string().optional().meta({ kind: 'text', secret: true }).describe('Secret access key'),
  AWS_SESSION_TOKEN: z
    .string()
    .optional()
    .meta({ kind: 'text', secret: true })
    .describe('Session token of a temporary key'),
};

/**
 * Adds the rule that both keys of a bucket are set, or none. A missing key is reported together
 * with all other invalid settings.
 */
export const withBothS3Keys = <Shape extends z.ZodObject<typeof s3Credentials>>(settings: Shape): Shape =>
  settings.superRefine(
    ({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }, context) => {
      if ((id === undefined) === (secret === undefined)) return;
      const missing = id === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
      context.addIssue({ code: 'custom', path: [missing], message: 'is missing beside the other key' });
    },
    { when: () => true },
  );

/** Settings of an app that reads and writes blobs. Apps wrap them with `withBothS3Keys`. */
export const blobStoreSettings = { BLOB_STORE_URL: blobStoreUrl, ...s3Credentials };
