import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const bannerNotFound = (id: number): DomainError =>
  new DomainError(problems['banner.not-found'], `There is no banner ${id}.`);

export const promotionNotFound = (id: number): DomainError =>
  new DomainError(problems['promotion.not-found'], `There is no promotion ${id}.`);
