import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const productionNotFound = (purchaseId: number): DomainError =>
  new DomainError(problems['production.not-found'], `Purchase ${purchaseId} has no production.`);
