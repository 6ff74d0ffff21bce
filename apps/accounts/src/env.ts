import { z } from 'zod';
import { accessTokenTtl, secret, serviceSettings, webUrl, wholeNumber } from '#config';
import { readProviders } from './identities/providers.js';

export const Env = serviceSettings.extend({
  /** Public address of the gateway: the issuer of the tokens, and where providers send people back to. */
  BASE_URL: webUrl.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  /** Encrypts the personal API keys, which their owners can look at again. Changing it makes the old ones unreadable. */
  KEY_ENCRYPTION_SECRET: secret,
  ACCESS_TOKEN_TTL: accessTokenTtl,
  /** Seconds that a refresh token may lie unused. */
  REFRESH_TOKEN_TTL: wholeNumber(2_592_000, 60, 315_360_000),
  /** The OpenID Connect providers that people may sign in with, as JSON: see `readProviders`. */
  OIDC_PROVIDERS: z
    .string()
    .default('[]')
    .transform((text, context) => {
      const { providers, problems } = readProviders(text);
      for (const message of problems) context.addIssue({ code: 'custom', message });
      return providers;
    }),
});
export type Env = z.output<typeof Env>;

/** The injection token of the settings. */
export const ACCOUNTS_ENV = Symbol('ACCOUNTS_ENV');
