import { DomainError } from '#kernel';

/** Formats an error: as text one line per validation error, with `json` one object. */
export function errorText(error: unknown, json: boolean): string {
  if (!(error instanceof DomainError)) {
    const message = (error as Error).message;
    return json ? JSON.stringify({ message }) : message;
  }
  const { code, detail, errors = [] } = error.body();
  if (json) return JSON.stringify({ code, message: detail, errors });
  return [`${code}: ${detail}`, ...errors.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
}
