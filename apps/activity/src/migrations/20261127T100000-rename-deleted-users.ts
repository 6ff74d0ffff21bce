import { RenameDeletedUsersTable } from '#persistence';

/** Renames the table of deleted users: docs/adr/0010. */
export class RenameDeletedUsers extends RenameDeletedUsersTable {
  readonly name = 'RenameDeletedUsers1795773600000';
}
