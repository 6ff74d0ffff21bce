import { limits, problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Error for a missing choice and for a choice that the viewer may not see: a client must not be
 * able to distinguish the two.
 */
export const choiceNotFound = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-found'], `Choice ${choiceId} does not exist.`);

export const choiceNotOwned = (choiceId: number): DomainError =>
  new DomainError(problems['choice.not-owned'], `Choice ${choiceId} belongs to another user.`);

export const tooManyChoices = (): DomainError =>
  new DomainError(
    problems['choice.too-many'],
    `A user may have at most ${limits.choicesPerUser} choices. Delete one first.`,
  );

export const choiceFull = (choiceId: number): DomainError =>
  new DomainError(problems['choice.full'], `Choice ${choiceId} already has ${limits.choiceProducts} products.`);
