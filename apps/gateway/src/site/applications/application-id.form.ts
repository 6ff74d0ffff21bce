import { idText, problems } from '#contracts';
import { DomainError } from '#kernel';

/** The application that an address names. Throws `application.not-found` when it can be none. */
export function applicationIdOf(text: string): number {
  const id = idText.safeParse(text);
  if (id.success) return id.data;
  throw new DomainError(problems['application.not-found'], 'There is no such application.');
}
