import { RenameDataVersionTable } from '#persistence';

/** Renames the table of the data version: docs/adr/0011. */
export class RenameDataVersions extends RenameDataVersionTable {
  readonly name = 'RenameDataVersions1795773660000';
  protected readonly service = 'accounts';
  protected readonly triggers = { users: 'insert or delete or update of name, display_name, avatar_url' };
  protected override readonly readers = ['storefront_catalog'];
}
