/** Something outside the program is not as it must be. The message is one line for the person who started it. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
