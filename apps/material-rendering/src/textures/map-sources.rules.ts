import { DomainError, type FieldError } from '#kernel';

/**
 * Images of one request that are processed concurrently: few, because all requests share the
 * permits.
 */
const concurrency = 4;

interface Rejection {
  readonly index: number;
  readonly error: DomainError;
}

/**
 * Processes every source, a few at a time, and collects all rejections (422) in one error. After a
 * failure of another kind it starts no further source. It always waits for the running ones, so
 * that no work continues after the response.
 *
 * @returns the result of `attempt` for each source, in order
 * @throws DomainError the rejection of the first rejected source, with `sources.<index>` and the
 *   message of each
 * @throws the first failure that is no rejection, unchanged
 */
export async function mapSources<Source, Result>(
  sources: readonly Source[],
  attempt: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rejections: Rejection[] = [];
  const failures: unknown[] = [];
  const waiting = sources.entries();
  const work = async (): Promise<void> => {
    // All workers share one iterator: each takes the next source
    for (const [index, source] of waiting) {
      try {
        results[index] = await attempt(source);
      } catch (error) {
        if (error instanceof DomainError && error.status === 422) rejections.push({ index, error });
        else failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, sources.length) }, work));
  if (failures.length > 0) throw failures[0];
  if (rejections.length > 0) throw combine(rejections);
  return results;
}

function combine(rejections: readonly Rejection[]): DomainError {
  const inOrder = rejections.toSorted((one, other) => one.index - other.index);
  const { kind, detail, headers } = inOrder[0]!.error;
  const errors = inOrder.map(({ index, error }): FieldError => ({ path: `sources.${index}`, message: error.detail }));
  return new DomainError(kind, detail, errors, headers);
}
