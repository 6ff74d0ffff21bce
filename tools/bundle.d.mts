/** Entry files of the apps that run until they are stopped, by name. */
export const apps: Readonly<Record<string, string>>;
/** Entry files of the apps that perform one task and exit, by name. */
export const commands: Readonly<Record<string, string>>;
/** Entry files of all programs of `npm start`: the apps and its own programs. */
export const programs: Readonly<Record<string, string>>;
/** Packages that are not bundled. */
export const external: readonly string[];
/**
 * Replaces a folder by the bundles of programs. `entryPoints`: entry file by name of the bundle.
 */
export function bundle(entryPoints?: Readonly<Record<string, string>>, outdir?: string): Promise<void>;
