import type { Operation } from '#contracts';

/** Returns the description of an operation in the API documents. */
export const descriptionOf = ({ description, tokens }: Operation): string =>
  tokens === 'own' ? `${description} Tokens of applications are rejected.` : description;
