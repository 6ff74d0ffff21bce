import { displayName, emailAddress, isReservedName } from '#contracts';

/** Profile of a user that a provider has confirmed. */
export interface ProviderProfile {
  /** The claim `sub`: unique at the provider, and never reassigned. */
  readonly uid: string;
  /** Name at the provider. It is public, hence never an e-mail address. */
  readonly nickname: string | null;
  /** Profile page at the provider. */
  readonly url: string | null;
  /** E-mail address; null unless it is valid and the provider has verified it. */
  readonly email: string | null;
  /** Valid, unreserved user name made of the claims; empty when no claim yields one. */
  readonly suggestedName: string;
}

/** Claims about a user (OpenID Connect Core 1.0, section 5.1), whose values may have any type. */
export type Claims = Readonly<Record<string, unknown>>;

const maxNameLength = 50;

/**
 * Returns the profile in the claims of a verified ID token and of the UserInfo response, or null
 * without a usable `sub`: Core 1.0, section 2, allows 255 ASCII characters.
 */
export function profileFromClaims(claims: Claims): ProviderProfile | null {
  const { sub, preferred_username: preferred, nickname, profile, email } = claims;
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return null;
  const { data: address } = emailAddress.safeParse(email);
  const names = [preferred, nickname, email].filter((name) => typeof name === 'string');
  return {
    uid: sub,
    nickname: names.map(toNickname).find((name) => name !== null) ?? null,
    url: toPageUrl(profile),
    email: address !== undefined && claims.email_verified === true ? address : null,
    suggestedName: names.map(toUserName).find((name) => name !== '' && !isReservedName(name)) ?? '',
  };
}

/**
 * Returns null for an invalid display name, and for an e-mail address, which some providers use as
 * a name.
 */
const toNickname = (name: string): string | null =>
  name === '' || name.includes('@') || !displayName.safeParse(name).success ? null : name;

function toPageUrl(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > 2_000 || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  // `href` is longer than `url` if characters outside ASCII are percent-encoded
  const isUsable = /^https?:$/.test(protocol) && username === '' && password === '' && href.length <= 2_048;
  return isUsable ? href : null;
}

/** `José García@example.com` -> `Jose-Garcia` */
const toUserName = (name: string): string =>
  name
    .slice(0, 1_000)
    .split('@', 1)[0]!
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxNameLength)
    .replace(/(?<!-)-+$/, '');
