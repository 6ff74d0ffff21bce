import type { ProductVariant } from '#contracts';
import { DomainError } from '#kernel';

/** A product that a client puts into a choice, perhaps in a variant. */
export interface WantedEntry {
  readonly productId: number;
  readonly itemVariantId?: number | undefined;
}

/** An entry as the catalog has settled it. `path` is the place of its product in the request. */
export type ChosenEntry = ProductVariant & { readonly path: string };

/** Settles all entries, in order, or refuses with `entries.<index>.<key>`; somebody else's network call. */
type Choose = (entries: WantedEntry[]) => Promise<{ entries: ProductVariant[] }>;

/**
 * Settles which variants are meant. Nobody is asked about nothing.
 *
 * @param pathOf where the entry of an index stands in the request
 * @throws DomainError the refusal, with the paths of the request
 */
export async function chosenEntries(
  wanted: readonly WantedEntry[],
  pathOf: (index: number) => string,
  choose: Choose,
): Promise<ChosenEntry[]> {
  if (wanted.length === 0) return [];
  const { entries } = await choose([...wanted]).catch((error: unknown) => {
    throw withPaths(error, pathOf);
  });
  return entries.map((entry, index) => ({ ...entry, path: `${pathOf(index)}.productId` }));
}

// The detail of a refusal begins with the path of the first entry that is refused
const entryPath = /^entries\.(\d+)\./;

function withPaths(error: unknown, pathOf: (index: number) => string): unknown {
  if (!(error instanceof DomainError) || !error.errors) return error;
  const inRequest = (text: string) => text.replace(entryPath, (_, index: string) => `${pathOf(Number(index))}.`);
  const errors = error.errors.map(({ path, message }) => ({ path: inRequest(path), message }));
  return new DomainError(error.kind, inRequest(error.detail), errors, error.headers);
}
