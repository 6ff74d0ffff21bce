import { AddRevisions } from '#persistence';

/** Revisions of favorites and choices. */
export class AddSocialRevisions extends AddRevisions {
  readonly name = 'AddSocialRevisions1795780800000';
  protected readonly tables = ['favorites', 'choices'];
}
