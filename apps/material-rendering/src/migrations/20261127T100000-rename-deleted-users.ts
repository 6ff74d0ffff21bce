import { RenameDeletedUsersTable } from '#persistence';

/** Renames the table of deleted users and the function that locks a user: docs/adr/0010. */
export class RenameDeletedUsers extends RenameDeletedUsersTable {
  readonly name = 'RenameDeletedUsers1795773600000';
}
