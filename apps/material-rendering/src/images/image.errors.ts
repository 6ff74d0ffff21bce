import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const imageNotFound = (detail = 'the material has no such image'): DomainError =>
  new DomainError(problems['picture.not-found'], detail);
