export function secretsIn(headers: Headers, body: string): string[];
export function leaksIn(log: string, secrets: Iterable<string>): string[];
