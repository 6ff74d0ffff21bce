import { AddRevisions } from '#persistence';

/** Adds the column `revision` to favorites and choices: the number of changes with an event. */
export class AddSocialRevisions extends AddRevisions {
  readonly name = 'AddSocialRevisions1795780800000';
  protected readonly tables = ['favorites', 'choices'];
}
