import { cpuMs } from './usage.js';

export type Contender = 'ours' | 'floor' | 'ImageMagick';

/** What is measured: one run makes so many images. */
export interface Work {
  readonly images: number;
  /** Before each run, not measured. */
  prepare?(): Promise<unknown>;
  run(): Promise<void>;
}

/** The same images, made by several. */
export interface Case {
  readonly name: string;
  readonly contenders: Readonly<Partial<Record<Contender, Work>>>;
}

/** What one image cost in one round. */
export interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export type Samples = Readonly<Partial<Record<Contender, readonly Sample[]>>>;

/**
 * Runs everything once, unmeasured, then all cases in every round and all contenders of a case one after the other,
 * another first each time: whatever else the machine does meets all alike.
 *
 * @returns for each case the samples of its contenders, one a round
 */
export async function race(
  cases: readonly Case[],
  rounds: number,
  tell: (round: number) => void,
): Promise<ReadonlyMap<Case, Samples>> {
  const results = new Map<Case, Partial<Record<Contender, Sample[]>>>(cases.map((each) => [each, {}]));
  for (let round = 0; round <= rounds; round++) {
    tell(round);
    for (const [{ contenders }, samples] of results) {
      for (const [name, work] of rotated(workersOf(contenders), round)) {
        const sample = await measure(work);
        if (round > 0) (samples[name] ??= []).push(sample);
      }
    }
  }
  return results;
}

const workersOf = (contenders: Case['contenders']) => Object.entries(contenders) as [Contender, Work][];

async function measure(work: Work): Promise<Sample> {
  const { images } = work;
  await work.prepare?.();
  const [cpu, wall] = [cpuMs(), performance.now()];
  await work.run();
  return { wallMs: (performance.now() - wall) / images, cpuMs: (cpuMs() - cpu) / images };
}

export function rotated<Entry>(entries: readonly Entry[], by: number): Entry[] {
  const first = by % entries.length;
  return [...entries.slice(first), ...entries.slice(0, first)];
}
