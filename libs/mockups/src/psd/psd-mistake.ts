/** Mistake of a PSD, as a sentence without the name of the file: "has 16 bits per channel". */
export class PsdMistake extends Error {
  override readonly name = 'PsdMistake';
}

/** Returns a name of a layer for a message, bounded and without control characters. */
export const shownName = (name: string | undefined): string => `"${(name ?? '').replace(/\p{C}/gu, '').slice(0, 60)}"`;
