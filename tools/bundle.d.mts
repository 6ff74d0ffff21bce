/** What is bundled: the file that begins it, by the name of the program. */
export const programs: Readonly<Record<string, string>>;
export function bundle(): Promise<void>;
