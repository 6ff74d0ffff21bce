/** Part of the stored file: a range of the uploaded file, replacement bytes, or zeros. */
export type StoredPart =
  { readonly from: number; readonly to: number } | { readonly bytes: Uint8Array } | { readonly zeros: number };

/**
 * Maximum number of parts. Cameras and editors write a dozen pieces of metadata; 20 MB can hold
 * millions.
 */
export const maxParts = 1_000;

export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
}

/** Builder for the parts of a file in their order. Throws TooManyParts beyond `maxParts`. */
export class StoredParts {
  private readonly parts: StoredPart[] = [];

  /**
   * Adds a range of the file, or extends the last range. Readers of the parts ignore offsets beyond
   * the end of the file.
   */
  add(from: number, to: number): void {
    const last = this.parts.at(-1);
    if (to <= from) return;
    if (last !== undefined && 'to' in last && last.to === from) this.parts[this.parts.length - 1] = { ...last, to };
    else this.append({ from, to });
  }

  insert(bytes: Uint8Array): void {
    this.append({ bytes });
  }

  zeros(count: number): void {
    if (count > 0) this.append({ zeros: count });
  }

  /** Returns the parts, or null when they are the whole unchanged file. */
  of(file: Buffer): readonly StoredPart[] | null {
    const [first] = this.parts;
    const isWhole = this.parts.length === 1 && 'to' in first! && first.from === 0 && first.to >= file.length;
    return isWhole ? null : this.parts;
  }

  private append(part: StoredPart): void {
    if (this.parts.length === maxParts) throw new TooManyParts();
    this.parts.push(part);
  }
}

/** Returns the bytes of the parts of a file. */
export const assemble = (file: Buffer, parts: readonly StoredPart[]): Buffer =>
  Buffer.concat(
    parts.map((part) => {
      if ('bytes' in part) return part.bytes;
      return 'zeros' in part ? Buffer.alloc(part.zeros) : file.subarray(part.from, part.to);
    }),
  );
