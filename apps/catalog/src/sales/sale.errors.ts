import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const saleNotFound = (saleId: number): DomainError =>
  new DomainError(problems['sale.not-found'], `Sale ${saleId} does not exist.`);

export const itemNotFound = (itemId: number): DomainError =>
  new DomainError(problems['item.not-found'], `Item ${itemId} does not exist.`);

export const saleInvalid = (detail: string): DomainError => new DomainError(problems['sale.invalid'], detail);
