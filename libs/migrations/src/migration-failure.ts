/** The database cannot be migrated. The message is one line for the person who started it. */
export class MigrationFailure extends Error {
  override readonly name = 'MigrationFailure';
}
