/** Parses a positive number of a command-line option. @throws Error with the name of the option */
export function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new Error(`--${option} must be a number above 0: ${text}`);
  return number;
}
