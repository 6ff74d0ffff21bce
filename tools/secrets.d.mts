/** The secrets that are random, by name of the file. */
export const random: readonly string[];
/** What is made of the random ones, by name of the file. */
export function derived(made: Readonly<Record<string, string>>): Record<string, string>;
/** Makes the files that are missing in a folder, and the users of Redis anew. @returns the names of those made or changed */
export function provideSecrets(folder: string): string[];
