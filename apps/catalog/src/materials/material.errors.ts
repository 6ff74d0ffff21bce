import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** There is no such material, or none that this viewer may see: the answer is the same. */
export const materialNotFound = (materialId: number): DomainError =>
  new DomainError(problems['material.not-found'], `There is no material ${materialId}.`);

export const materialNotOwned = (materialId: number): DomainError =>
  new DomainError(problems['material.not-owned'], `Material ${materialId} belongs to somebody else.`);
