import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

export const externalIdReused = (externalId: string, differences: readonly FieldError[]): DomainError =>
  new DomainError(
    problems['purchase.external-id-reused'],
    `The external id ${externalId} is that of a different purchase: ${differences.map(({ path, message }) => `${path}: ${message}`).join(', ')}.`,
    differences,
  );
