import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Returns the error for a missing material and for a material that is hidden from the viewer: a
 * client must not be able to distinguish the two.
 */
export const materialNotFound = (materialId: number): DomainError =>
  new DomainError(problems['material.not-found'], `Material ${materialId} does not exist.`);

export const materialNotOwned = (materialId: number): DomainError =>
  new DomainError(problems['material.not-owned'], `Material ${materialId} belongs to another user.`);
