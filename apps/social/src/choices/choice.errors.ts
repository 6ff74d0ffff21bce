import { limits, problems } from '#contracts';
import { DomainError } from '#kernel';

/** There is no such choice, or none that this viewer may see: the answer is the same. */
export const choiceNotFound = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-found'], `There is no choice ${choiceId}.`);

export const choiceNotOwned = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-owned'], `Choice ${choiceId} belongs to somebody else.`);

export const choiceFull = (choiceId: number): DomainError =>
  new DomainError(problems['choice.full'], `Choice ${choiceId} has ${limits.choiceProducts} products already.`);
