/** A backup that cannot be made, trusted or restored. The message is for people. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure';
}
