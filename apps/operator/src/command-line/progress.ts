/** Prints progress to stderr; stdout has the result only. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
