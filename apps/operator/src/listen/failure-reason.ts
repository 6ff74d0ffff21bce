/** Returns the reason of a failed `fetch`: the code of the connection's error, if there is one. */
export function failureReason(error: unknown): string {
  const { message, cause } = error as { readonly message: string; readonly cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
}
