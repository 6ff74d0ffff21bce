import { displayName, emailAddress, isReservedName } from '#contracts';

/** What a provider has confirmed of somebody. */
export interface Person {
  /** Theirs for ever, and nobody else's there: `sub`. */
  readonly uid: string;
  /** What they are called there. Everybody may see it, hence never an e-mail address. */
  readonly nickname: string | null;
  /** Their page there. */
  readonly url: string | null;
  /** Null unless the provider says that it is theirs. */
  readonly email: string | null;
  /** A user name that fits the rule of user names; empty when nothing of them makes one. */
  readonly suggestedName: string;
}

/** Claims of OpenID Connect Core 1.0, section 5.1, as they come: anything. */
export type Claims = Readonly<Record<string, unknown>>;

const longestName = 50;

/**
 * Null when there is no usable `sub`: Core 1.0, section 2, allows 255 ASCII characters.
 */
export function personOf(claims: Claims): Person | null {
  const { sub, preferred_username: preferred, nickname, profile, email } = claims;
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return null;
  const { data: address } = emailAddress.safeParse(email);
  const names = [preferred, nickname, email].filter((name) => typeof name === 'string');
  return {
    uid: sub,
    nickname: names.map(shownName).find((name) => name !== null) ?? null,
    url: pageAddress(profile),
    email: address !== undefined && claims.email_verified === true ? address : null,
    suggestedName: names.map(userNameFrom).find((name) => name !== '' && !isReservedName(name)) ?? '',
  };
}

/** Some providers use e-mail addresses as names. */
const shownName = (name: string): string | null =>
  name === '' || name.includes('@') || !displayName.safeParse(name).success ? null : name;

function pageAddress(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > 2_000 || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  // Letters of other scripts take more room in it than in what was sent
  const isUsable = /^https?:$/.test(protocol) && username === '' && password === '' && href.length <= 2_048;
  return isUsable ? href : null;
}

/** `José García@example.com` -> `Jose-Garcia` */
const userNameFrom = (name: string): string =>
  name
    .slice(0, 1_000)
    .split('@', 1)[0]!
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, longestName)
    .replace(/(?<!-)-+$/, '');
