import { AddRevisions } from '#persistence';

/** Adds the column `revision` to materials and products: the number of changes with an event. */
export class AddCatalogRevisions extends AddRevisions {
  readonly name = 'AddCatalogRevisions1795780800000';
  protected readonly tables = ['materials', 'products'];
}
