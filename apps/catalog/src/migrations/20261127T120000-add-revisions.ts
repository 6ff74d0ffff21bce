import { AddRevisions } from '#persistence';

/** Revisions of materials and products. */
export class AddCatalogRevisions extends AddRevisions {
  readonly name = 'AddCatalogRevisions1795780800000';
  protected readonly tables = ['materials', 'products'];
}
