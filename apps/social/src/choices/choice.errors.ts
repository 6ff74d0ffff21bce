import { limits, problems } from '#contracts';
import { DomainError } from '#kernel';

/** There is no such choice, or none that this viewer may see: the answer is the same. */
export const choiceNotFound = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-found'], `There is no choice ${choiceId}.`);

export const choiceNotOwned = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-owned'], `Choice ${choiceId} belongs to somebody else.`);

export const tooManyChoices = (): DomainError =>
  new DomainError(problems['choice.too-many'], `A user may have ${limits.choicesPerUser} choices. Delete one first.`);

export const choiceFull = (choiceId: number): DomainError =>
  new DomainError(problems['choice.full'], `Choice ${choiceId} has ${limits.choiceProducts} products already.`);
