/** Names of the random secrets, from which all others are derived. */
export const randomSecretNames: readonly string[];
/** Returns the derived secrets by file name. */
export function deriveSecrets(secrets: Readonly<Record<string, string>>): Record<string, string>;
/**
 * Creates missing secret files in a folder and updates the ACLs of the Redis users.
 * @returns names of the files that were created or changed
 */
export function provideSecrets(folder: string): string[];
