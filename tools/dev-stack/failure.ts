/** Startup error because of the environment. The message is one line for the user. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
