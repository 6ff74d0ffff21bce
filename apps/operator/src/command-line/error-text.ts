import { DomainError } from '#kernel';

/**
 * Formats an error as text, with a further line for each validation error, or as one JSON object.
 */
export function errorText(error: unknown, json: boolean): string {
  if (!(error instanceof DomainError)) {
    const message = (error as Error).message;
    return json ? JSON.stringify({ message }) : message;
  }
  const { code, detail, errors = [] } = error.body();
  if (json) return JSON.stringify({ code, message: detail, errors });
  return [`${code}: ${detail}`, ...errors.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
}
