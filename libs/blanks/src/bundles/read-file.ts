import { DomainError } from '#kernel';
import { readEntry, sizeText } from './bundle-entries.js';
import { unreadable } from './bundle.errors.js';
import { fromStart, withFile } from './open-bundle.js';

/**
 * Reads a regular file of limited size. Pipes and devices, which may be endless, are rejected.
 *
 * @param shown path in messages
 * @throws DomainError `catalog.invalid`
 */
export async function readFileWithin(path: string, maxBytes: number, shown = path): Promise<Buffer> {
  try {
    return await withFile(path, shown, 0, (file, size) => {
      if (size > maxBytes) throw unreadable(shown, `is larger than ${sizeText(maxBytes)}`);
      return readEntry(shown, file.createReadStream(fromStart), size);
    });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw unreadable(shown, `cannot be read: ${(error as Error).message}`);
  }
}
