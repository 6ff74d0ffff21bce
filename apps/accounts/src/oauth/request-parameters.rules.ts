import type { OAuthParameters } from '#contracts';

/** Parameters of an OAuth request, by name. */
export type RequestParameters = Readonly<Partial<Record<string, string>>>;

/**
 * Returns the parameters that have a value: an empty parameter counts as omitted (RFC 6749,
 * sections 3.1 and 3.2).
 */
export const readParameters = ({ given }: OAuthParameters): RequestParameters =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
