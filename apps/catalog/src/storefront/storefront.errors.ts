import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const bannerNotFound = (id: number): DomainError =>
  new DomainError(problems['banner.not-found'], `Banner ${id} does not exist.`);

export const promotionNotFound = (id: number): DomainError =>
  new DomainError(problems['promotion.not-found'], `Promotion ${id} does not exist.`);
