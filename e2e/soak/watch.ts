import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.js';
import type { Outcome, Load, LoadSummary } from '../load/load.js';
import { isFailure } from '../load/tallies.js';
import { warmUpMinutes } from './arguments.js';
import type { SoakResult } from './growth.js';
import { type Measurement, type Sample, Sampler } from './sample.js';

const sampleIntervalMs = 5_000;
/**
 * Pause of the load before a measurement at rest. Pools close idle connections after 10 s, the load
 * after 4 s.
 */
const restMs = 20_000;
/** Garbage collections per rest: finalizers of one free objects that the next one collects. */
const collectionsPerRest = 3;
const collectionPauseMs = 2_000;

const countOf = ({ outcomes }: LoadSummary, is: (outcome: Outcome) => boolean): number =>
  [...outcomes].reduce((sum, [outcome, count]) => sum + (is(outcome) ? count : 0), 0);

function requestsOf(tally: LoadSummary, seconds: number): Sample['requests'] {
  const { durations } = tally;
  const at = (part: number): number => durations[Math.floor(part * (durations.length - 1))] ?? 0;
  const failed = countOf(tally, isFailure);
  return { served: (tally.requests - failed) / seconds, failed: failed / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Measures a fleet under a load with three rests, of which the last two are compared. */
export class SoakWatch {
  /** Number of requests by outcome. */
  readonly outcomes = new Map<Outcome, number>();
  private readonly samples: Sample[] = [];
  private readonly since = performance.now();

  private constructor(
    private readonly fleet: Fleet,
    private readonly load: Load,
    private readonly sampler: Sampler,
  ) {}

  static async of(fleet: Fleet, load: Load): Promise<SoakWatch> {
    return new SoakWatch(fleet, load, await Sampler.of(fleet));
  }

  /** Runs the measurement. @throws Error if a process or server has exited */
  async run(minutes: number, print: (line: string) => void): Promise<SoakResult> {
    await this.underLoad(warmUpMinutes / 2);
    // Not compared: the first full collection also frees garbage of the start
    await this.atRest();
    this.load.resume();
    await this.underLoad(warmUpMinutes / 2);
    const before = await this.atRest();
    print(`warm after ${warmUpMinutes} minutes, ${minutes - warmUpMinutes} more to go`);
    const warmMinutes = this.minutes;
    this.load.resume();
    await this.underLoad(minutes - warmUpMinutes);
    const after = await this.atRest();
    await this.sampler.close();
    return { samples: this.samples, rests: [before, after], warmMinutes };
  }

  private get minutes(): number {
    return (performance.now() - this.since) / 60_000;
  }

  private async underLoad(minutes: number): Promise<void> {
    const until = performance.now() + minutes * 60_000;
    this.load.lap();
    let lapped = performance.now();
    while (performance.now() < until) {
      await sleep(sampleIntervalMs);
      const moment = await this.sampler.take();
      const tally = this.load.lap();
      const now = performance.now();
      this.samples.push({ ...moment, minutes: this.minutes, requests: requestsOf(tally, (now - lapped) / 1000) });
      for (const [outcome, count] of tally.outcomes)
        this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + count);
      lapped = now;
    }
  }

  private async atRest(): Promise<Measurement> {
    await this.load.rest();
    await sleep(restMs);
    for (let collected = 0; collected < collectionsPerRest; collected++) {
      for (const { pid } of this.fleet.processes) process.kill(pid!, 'SIGUSR2');
      await sleep(collectionPauseMs);
    }
    return this.sampler.take();
  }
}
