/** Error of a database that cannot be migrated. Its message is one line for the operator. */
export class MigrationFailure extends Error {
  override readonly name = 'MigrationFailure';
}
