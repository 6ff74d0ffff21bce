import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const pictureNotFound = (detail = 'the material has no such picture'): DomainError =>
  new DomainError(problems['picture.not-found'], detail);
