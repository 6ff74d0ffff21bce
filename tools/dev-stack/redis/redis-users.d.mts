export type RedisRole = 'requests' | 'jobs';
/** Users of each server whose passwords apps and commands have. */
export const redisUsers: Readonly<Record<RedisRole, readonly string[]>>;
/** Apps that publish broadcasts, and apps that subscribe to them. */
export const broadcastUsers: Readonly<Record<'publish' | 'subscribe', readonly string[]>>;
/** Derives the password of a user from the secret of the server. */
export function redisPassword(secret: string, user: string): string;
/**
 * Returns the ACL lines of a server's configuration file. `hashes`: SHA-256 of the passwords, by
 * user.
 */
export function usersFile(server: RedisRole, hashes: Readonly<Record<string, string>>): string;
/** Returns `usersFile` with the hashes of the passwords that are derived from a secret. */
export function usersOf(server: RedisRole, secret: string): string;
