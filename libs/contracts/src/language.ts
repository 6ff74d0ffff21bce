import { z } from 'zod';

/** The languages that the service itself speaks. */
export const languages = ['en', 'ja'] as const;
export const Language = z.enum(languages);
export type Language = z.output<typeof Language>;
