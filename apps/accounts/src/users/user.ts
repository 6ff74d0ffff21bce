/** The built-in user that stands for everybody who wishes not to be named. */
export const anonymousUserId = 0;

/**
 * Names that would shadow an address of the site: a product page lives at `/{user name}/...`, beside everything else.
 * `anonymous` is the built-in user; the others are kept free of people who could be taken for the site itself.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'about',
  'account',
  'accounts',
  'activities',
  'admin',
  'administrator',
  'anonymous',
  'api',
  'applications',
  'assets',
  'auth',
  'cart',
  'categories',
  'choices',
  'contact',
  'docs',
  'help',
  'health',
  'icons',
  'images',
  'items',
  'login',
  'logout',
  'materials',
  'me',
  'metrics',
  'oauth',
  'official',
  'operator',
  'pictures',
  'privacy',
  'products',
  'root',
  'search',
  'settings',
  'signin',
  'signout',
  'signup',
  'static',
  'status',
  'support',
  'system',
  'terms',
  'user',
  'users',
  'v1',
  'www',
]);

/** Whether nobody may take this name, in whatever case it is written. */
export const isReservedName = (name: string): boolean => reservedNames.has(name.toLowerCase());

/** What a user changes of itself: what is absent stays, null empties. */
export interface UserChanges {
  readonly displayName?: string | null;
  readonly avatarUrl?: string | null;
  readonly profile?: {
    readonly url?: string | null;
    readonly body?: string | null;
    readonly headerUrl?: string | null;
  };
}

/** Whether a request to change leaves everything as it is, because nothing was sent. */
export const changesNothing = ({ displayName, avatarUrl, profile = {} }: UserChanges): boolean =>
  [displayName, avatarUrl, ...Object.values(profile)].every((value) => value === undefined);
