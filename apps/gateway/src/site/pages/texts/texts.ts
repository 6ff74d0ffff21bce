import type { Language } from '#contracts';

/** The words of a part of the site, in every language. A sentence with a gap is a function. */
export type Texts<Words> = Readonly<Record<Language, Words>>;
