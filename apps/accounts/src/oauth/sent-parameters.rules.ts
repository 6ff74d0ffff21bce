import type { OAuthParameters } from '#contracts';

/** What a client has sent, by name. */
export type Sent = Readonly<Partial<Record<string, string>>>;

/** A parameter without a value counts as omitted (RFC 6749, sections 3.1 and 3.2). */
export const sentIn = ({ given }: OAuthParameters): Sent =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
