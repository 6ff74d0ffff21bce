import { processCpuMs } from './usage.js';

export type Contender = 'ours' | 'floor' | 'ImageMagick';

/** Measured work: one run produces `images` images. */
export interface Work {
  readonly images: number;
  /** Runs before each run and is not measured. */
  prepare?(): Promise<unknown>;
  run(): Promise<void>;
}

/** A case: the same images by several contenders. */
export interface Case {
  readonly name: string;
  readonly contenders: Readonly<Partial<Record<Contender, Work>>>;
}

/** Cost of one image in one round. */
export interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export type Samples = Readonly<Partial<Record<Contender, readonly Sample[]>>>;

/**
 * Runs a warm-up, then all cases in every round in random order, with the contenders of a case in
 * rotating order, so that other load on the machine and garbage collections affect all equally.
 *
 * @returns samples of each case by contender, one per round
 */
export async function runRounds(
  cases: readonly Case[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<ReadonlyMap<Case, Samples>> {
  const results = new Map<Case, Partial<Record<Contender, Sample[]>>>(cases.map((each) => [each, {}]));
  for (let round = 0; round <= rounds; round++) {
    onRound(round);
    // Garbage collections recur after the same work, in a fixed order always in the same case
    const order = [...results]
      .map((entry) => ({ entry, key: Math.random() }))
      .toSorted((one, other) => one.key - other.key);
    for (const { entry } of order) {
      const [{ contenders }, samples] = entry;
      for (const [name, work] of rotated(entriesOf(contenders), round)) {
        const sample = await measure(work);
        if (round > 0) (samples[name] ??= []).push(sample);
      }
    }
  }
  return results;
}

const entriesOf = (contenders: Case['contenders']) => Object.entries(contenders) as [Contender, Work][];

async function measure(work: Work): Promise<Sample> {
  const { images } = work;
  await work.prepare?.();
  const [cpu, wall] = [processCpuMs(), performance.now()];
  await work.run();
  return { wallMs: (performance.now() - wall) / images, cpuMs: (processCpuMs() - cpu) / images };
}

export function rotated<Entry>(entries: readonly Entry[], by: number): Entry[] {
  const first = by % entries.length;
  return [...entries.slice(first), ...entries.slice(0, first)];
}
