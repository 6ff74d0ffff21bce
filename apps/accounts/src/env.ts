import { z } from 'zod';
import { accessTokenTtl, baseUrl, secret, serviceSettings, settingsClass, smtpUrl, wholeNumber } from '#config';
import { readProviders } from './identities/provider.schema.js';
import { mailbox } from './mail/mailbox.schema.js';

const Settings = serviceSettings.extend({
  BASE_URL: baseUrl,
  KEY_ENCRYPTION_SECRET: secret.describe(
    'Encrypts personal API keys, which their owners can display again, and client secrets in stored responses; derives the tokens of mailed links. After a change existing keys work, but cannot be displayed',
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
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox
    .optional()
    .meta({ kind: '`address` or `name <address>`' })
    .describe('Sender of mail. Required with SMTP_URL'),
});

export const Env = Settings.superRefine(({ SMTP_URL, MAIL_FROM }, context) => {
  if ((SMTP_URL === undefined) === (MAIL_FROM === undefined)) return;
  const path = [SMTP_URL === undefined ? 'SMTP_URL' : 'MAIL_FROM'];
  context.addIssue({ code: 'custom', path, message: 'SMTP_URL and MAIL_FROM must be set together' });
});

/** Settings of the accounts service. */
export abstract class AccountsEnv extends settingsClass<z.output<typeof Env>>() {}
