/**
 * Returns the exports of a project that no other file imports, and those that only tests use, as
 * `file: name`.
 */
export function unusedExports(configFile: string, scripts: string): { unused: string[]; testOnly: string[] };
