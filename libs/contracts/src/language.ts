import { z } from 'zod';

/** Languages of the texts of the service. */
export const languages = ['en', 'ja'] as const;
export const Language = z.enum(languages);
export type Language = z.output<typeof Language>;
