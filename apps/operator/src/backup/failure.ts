/** Error of a backup that cannot be created, verified or restored. The message is for operators. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure';
}
