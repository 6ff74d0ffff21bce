import { idText, problems } from '#contracts';
import { DomainError } from '#kernel';

/** Parses an application id from a path. Throws `application.not-found` if it is malformed. */
export function parseApplicationId(text: string): number {
  const id = idText.safeParse(text);
  if (id.success) return id.data;
  throw new DomainError(problems['application.not-found'], 'Unknown application.');
}
