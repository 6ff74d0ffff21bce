import type { ProductVariant } from '#contracts';
import { DomainError } from '#kernel';

/** Product that a client puts into a choice, optionally in a variant. */
export interface RequestedEntry {
  readonly productId: number;
  readonly itemVariantId?: number | undefined;
}

/**
 * Entry with the variant that the catalog chose. `path` is the JSON path of its product in the
 * request.
 */
export type ChosenEntry = ProductVariant & { readonly path: string };

/**
 * Calls the catalog. Returns all entries with their variants, in order. Throws a DomainError with
 * paths `entries.<index>.<key>`.
 */
type Choose = (entries: RequestedEntry[]) => Promise<{ entries: ProductVariant[] }>;

/**
 * Chooses the variant of each requested entry. Does not call `choose` for an empty list.
 *
 * @param pathOf returns the JSON path of an entry in the request
 * @throws DomainError the error of `choose`, with the paths of the request
 */
export async function chooseEntries(
  requested: readonly RequestedEntry[],
  pathOf: (index: number) => string,
  choose: Choose,
): Promise<ChosenEntry[]> {
  if (requested.length === 0) return [];
  const { entries } = await choose([...requested]).catch((error: unknown) => {
    throw withRequestPaths(error, pathOf);
  });
  return entries.map((entry, index) => ({ ...entry, path: `${pathOf(index)}.productId` }));
}

// The detail of the error begins with the path of the first rejected entry
const entryPath = /^entries\.(\d+)\./;

function withRequestPaths(error: unknown, pathOf: (index: number) => string): unknown {
  if (!(error instanceof DomainError) || !error.errors) return error;
  const withRequestPath = (text: string) => text.replace(entryPath, (_, index: string) => `${pathOf(Number(index))}.`);
  const errors = error.errors.map(({ path, message }) => ({ path: withRequestPath(path), message }));
  return new DomainError(error.kind, withRequestPath(error.detail), errors, error.headers);
}
