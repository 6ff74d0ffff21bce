/** The apps that run until they are stopped: the file that begins each, by its name. */
export const apps: Readonly<Record<string, string>>;
/** The apps that do one thing and end. */
export const commands: Readonly<Record<string, string>>;
/** What `npm start` runs: the apps and its own programs. */
export const programs: Readonly<Record<string, string>>;
/** Packages that are no part of a bundle. */
export const external: readonly string[];
/** Replaces a folder by the bundles of programs, of each the file that begins it by where its bundle goes. */
export function bundle(entryPoints?: Readonly<Record<string, string>>, outdir?: string): Promise<void>;
