import { RenameDataVersionTable } from '#persistence';

const allChanges = 'insert or update or delete';

/**
 * Renames the table of the data version, its column, its function and its triggers: docs/adr/0011.
 */
export class RenameDataVersions extends RenameDataVersionTable {
  readonly name = 'RenameDataVersions1795773660000';
  protected readonly service = 'catalog';
  protected readonly triggers = { materials: allChanges, products: allChanges };
}
