/** Returns `file: name` for each export of a project that no other file imports. */
export function unusedExports(configFile: string, scripts: string): string[];
