import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const saleNotFound = (saleId: number): DomainError =>
  new DomainError(problems['sale.not-found'], `There is no sale ${saleId}.`);

export const userNotFound = (name: string): DomainError =>
  new DomainError(problems['user.not-found'], `There is no user ${name}.`);

export const itemNotFound = (itemId: number): DomainError =>
  new DomainError(problems['item.not-found'], `There is no item ${itemId}.`);

export const saleInvalid = (sentence: string): DomainError => new DomainError(problems['sale.invalid'], sentence);
