import { DomainError, type FieldError } from '#kernel';

/** How many images of one request are in work at a time: others wait for the same places. */
const inFlight = 4;

interface Refusal {
  readonly index: number;
  readonly error: DomainError;
}

/**
 * Tries every source, a few at a time, so that all refusals (422) are told at once. After a failure of another kind no
 * further one is started. Those under way are always waited for, so that nothing happens behind the answer's back.
 *
 * @returns what `attempt` made of each source, in order
 * @throws DomainError the refusal of the first refused source, with `sources.<index>` and the message of each
 * @throws the first failure that is no refusal, as it is
 */
export async function everySource<Source, Result>(
  sources: readonly Source[],
  attempt: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const refusals: Refusal[] = [];
  const failures: unknown[] = [];
  const waiting = sources.entries();
  const work = async (): Promise<void> => {
    // One iterator shared by all workers: each takes the next source that nobody has
    for (const [index, source] of waiting) {
      try {
        results[index] = await attempt(source);
      } catch (error) {
        if (error instanceof DomainError && error.status === 422) refusals.push({ index, error });
        else failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, sources.length) }, work));
  if (failures.length > 0) throw failures[0];
  if (refusals.length > 0) throw together(refusals);
  return results;
}

function together(refusals: readonly Refusal[]): DomainError {
  const inOrder = refusals.toSorted((one, other) => one.index - other.index);
  const { kind, detail, headers } = inOrder[0]!.error;
  const errors = inOrder.map(({ index, error }): FieldError => ({ path: `sources.${index}`, message: error.detail }));
  return new DomainError(kind, detail, errors, headers);
}
