import type { Language } from '#contracts';

/** Texts of a page in every language. A sentence with a placeholder is a function. */
export type Texts<Words> = Readonly<Record<Language, Words>>;
