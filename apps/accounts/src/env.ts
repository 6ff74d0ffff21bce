import { z } from 'zod';
import { accessTokenTtl, baseUrl, secret, serviceSettings, settingsClass, wholeNumber } from '#config';
import { readProviders } from './identities/provider.schema.js';

export const Env = serviceSettings.extend({
  BASE_URL: baseUrl,
  KEY_ENCRYPTION_SECRET: secret.describe(
    'Encrypts personal API keys, which their owners can display again. After a change existing keys work, but cannot be displayed',
  ),
  ACCESS_TOKEN_TTL: accessTokenTtl,
  REFRESH_TOKEN_TTL: wholeNumber(2_592_000, 60, 315_360_000).describe('Seconds until an unused refresh token expires'),
  OIDC_PROVIDERS: z
    .string()
    .default('[]')
    .transform((text, context) => {
      const { providers, problems } = readProviders(text);
      for (const message of problems) context.addIssue({ code: 'custom', message });
      return providers;
    })
    .meta({ kind: 'JSON', secret: true })
    .describe('OpenID Connect providers for sign-in: [sign-in-providers.md](sign-in-providers.md)'),
});

/** Settings of the accounts service. */
export abstract class AccountsEnv extends settingsClass<z.output<typeof Env>>() {}
