export type RedisRole = 'requests' | 'jobs';
/** The users of a server whose passwords apps and commands are given. */
export const redisUsers: Readonly<Record<RedisRole, readonly string[]>>;
/** Those who publish notices to all processes, and those who listen. */
export const notices: Readonly<Record<'publish' | 'subscribe', readonly string[]>>;
/** The password of a user, made of the secret of its server. */
export function redisPassword(secret: string, user: string): string;
/** The lines that tell a server its users, for its configuration file. `hashes`: SHA-256 of the passwords, by user. */
export function usersFile(server: RedisRole, hashes: Readonly<Record<string, string>>): string;
/** The same with passwords made of a secret, of which Redis gets the hashes only. */
export function usersOf(server: RedisRole, secret: string): string;
