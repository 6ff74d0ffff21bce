/** Error of tables that cannot be moved or received. The message is for operators. */
export class SplitFailure extends Error {
  override readonly name = 'SplitFailure';
}
