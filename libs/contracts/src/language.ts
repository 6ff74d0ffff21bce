import { z } from 'zod';

/** Languages of pages, mails and localized responses. */
export const languages = ['en', 'ja'] as const;
export const Language = z.enum(languages);
export type Language = z.output<typeof Language>;

/** Language of names in the catalog. Missing = Japanese. */
export const NameLanguage = Language.optional();
