import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Returns the error of a missing material and of one that is hidden from the viewer, which must be
 * indistinguishable.
 */
export const materialNotFound = (materialId: number): DomainError =>
  new DomainError(problems['material.not-found'], `Material ${materialId} does not exist.`);

export const materialNotOwned = (materialId: number): DomainError =>
  new DomainError(problems['material.not-owned'], `Material ${materialId} belongs to another user.`);
