import { z } from 'zod';
import {
  accessTokenTtl,
  appSettings,
  baseUrl,
  blobStoreSettings,
  dateTimeSettings,
  host,
  imageSigningSecret,
  responseCacheMb,
  port,
  readEnvironmentOrExit,
  redisRequestsUrl,
  settingsClass,
  webUrl,
  wholeNumber,
  withBothS3Keys,
} from '#config';
import { imageSizes } from '#contracts';
import { type KeyPairFiles, readKeyPair, UnusableKeyPair } from './edge/server/key-pair.js';
import { readTrustedProxies } from './edge/connections/trusted-proxies.js';
import { readRateLimits } from './edge/rate-limits/rate-limits.js';
import { contactUrl } from './site/pages/contact-url.schema.js';
import { buyUrl } from './site/shop/buy-url.schema.js';

const Settings = appSettings.extend({
  PORT: port,
  HOST: host('0.0.0.0'),
  BASE_URL: baseUrl,
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      const { proxies, invalid } = readTrustedProxies(text);
      if (invalid.length > 0)
        context.addIssue({
          code: 'custom',
          message: 'must contain addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal',
        });
      return proxies.length > 0 && proxies;
    })
    .meta({ kind: 'list of addresses and networks' })
    .describe('Proxies whose `X-Forwarded-For` is trusted: `10.0.0.0/8, loopback`. Empty: none'),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .meta({ kind: 'path of a PEM file' })
    .describe(
      'TLS certificate, followed by its chain. A replaced file is loaded without a restart. Without it the gateway serves HTTP',
    ),
  TLS_KEY_FILE: z
    .string()
    .optional()
    .meta({ kind: 'path of a PEM file' })
    .describe('Private key of the certificate, without a passphrase'),
  UNREADY_MS: wholeNumber(500, 0, 10_000).describe(
    'Time after SIGTERM in which connections are still accepted while `/health/ready` is 503, for load balancers to react. ' +
      'Use 0 without a load balancer',
  ),
  MAX_CONCURRENT_REQUESTS: wholeNumber(320, 1, 100_000).describe(
    'Concurrent API calls and pages. Images have four times this limit, new materials half of it. Requests above a ' +
      'limit are rejected: [limits.md](limits.md)',
  ),
  MAX_CONNECTIONS: wholeNumber(8_192, 1, 1_000_000).describe(
    'Concurrent client connections, idle ones included; at most a quarter from one address, unless it is a trusted proxy. ' +
      'A connection above a limit closes the one that has been idle longest',
  ),
  REDIS_REQUESTS_URL: redisRequestsUrl,
  ...blobStoreSettings,
  IMAGE_SHARED_CACHE_SECONDS: wholeNumber(3_600, 0, 31_536_000).describe(
    'Lifetime of an image in a CDN or proxy (`s-maxage`). A withdrawn image remains there that long unless it is purged',
  ),
  IMAGES_CDN_URL: webUrl
    .refine((url) => new URL(url).search + new URL(url).hash === '', { error: 'must have no ? and no #' })
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
    .optional()
    .describe('CDN that image requests are redirected to, and which fetches from the gateway'),
  IMAGE_SIGNING_SECRET: imageSigningSecret,
  IMAGE_SIZES: imageSizes,
  // The same setting as in accounts: the OAuth metadata states whether access tokens expire, and so
  // whether refresh tokens are issued
  ACCESS_TOKEN_TTL: accessTokenTtl,
  TOKEN_CACHE_MS: wholeNumber(10_000, 0, 10_000).describe(
    'Maximum age of a cached token check. A revocation invalidates it at once',
  ),
  ACCESS_TOKEN_IN_QUERY: z
    .enum(['none', 'user'])
    .default('none')
    .describe(
      '`user`: `GET /api/v1/user` also accepts a token as `?access_token=`, as passport-suzuri sends it. Proxies and CDNs log ' +
        'it with the URL',
    ),
  RESPONSE_CACHE_MB: responseCacheMb(64),
  RATE_LIMITS: z
    .string()
    .default('')
    .transform((text, context) => {
      const { limits, problems } = readRateLimits(text);
      for (const message of problems) context.addIssue({ code: 'custom', message });
      return limits;
    })
    .meta({ kind: 'list of `operation=count/seconds`' })
    .describe(
      'Requests of each user: `materials.create=500/900,favorites.create=1000/60`. Default: 200 in 900 seconds for creating ' +
        'and changing materials, 100 for previews, 300 for every other write',
    ),
  MATERIAL_PRICE_MAX: wholeNumber(100_000, 0, 1_000_000_000).describe('Highest margin of a material, without tax'),
  BUY_URL: buyUrl.optional(),
  CONTACT_URL: contactUrl.optional(),
  DEMO_ACCOUNT: z
    .string()
    .regex(/^[\w-]+:.+$/, { error: 'must look like name:password' })
    .transform((text) => ({ name: text.split(':')[0]!, password: text.slice(text.indexOf(':') + 1) }))
    .optional()
    .meta({ kind: '`name:password`', secret: true })
    .describe('Account that the front page shows to visitors on the same machine'),
  DATE_TIME_FORMAT: dateTimeSettings.DATE_TIME_FORMAT,
});

/** Schema of the settings. */
export const Env = withBothS3Keys(Settings).superRefine(
  (env, context) => {
    try {
      const files = keyPairFiles(env);
      if (files) readKeyPair(files);
    } catch (error) {
      if (!(error instanceof UnusableKeyPair)) throw error;
      for (const [setting, message] of error.problems) context.addIssue({ code: 'custom', path: [setting], message });
    }
  },
  // Runs even if other settings are invalid, so that all errors are reported together
  { when: () => true },
);

/**
 * Returns the files of certificate and key; undefined if the gateway serves HTTP.
 *
 * @throws UnusableKeyPair if only one of the two settings is set
 */
export function keyPairFiles(env: Pick<z.output<typeof Settings>, keyof KeyPairFiles>): KeyPairFiles | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = env;
  if (TLS_CERT_FILE !== undefined && TLS_KEY_FILE !== undefined) return { TLS_CERT_FILE, TLS_KEY_FILE };
  const missing = TLS_CERT_FILE === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE';
  if (TLS_CERT_FILE !== TLS_KEY_FILE) throw new UnusableKeyPair([[missing, 'must be set together with the other one']]);
  return undefined;
}

/** Settings of the gateway. */
export abstract class GatewayEnv extends settingsClass<z.output<typeof Settings>>() {}

export const readEnv = (): GatewayEnv => readEnvironmentOrExit(Env);
