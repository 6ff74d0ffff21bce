import type { Findings } from './load.js';

/** Largest number of listed findings per kind; further ones are counted. */
const maxPerKind = 100;

/** Collects the findings of a check. */
export class Notes {
  private readonly found = { lost: [] as string[], duplicated: [] as string[], wrong: [] as string[] };

  lost(sentence: string): void {
    this.found.lost.push(sentence);
  }

  duplicated(sentence: string): void {
    this.found.duplicated.push(sentence);
  }

  wrong(sentence: string): void {
    this.found.wrong.push(sentence);
  }

  findings(settledMs: number): Findings {
    const { lost, duplicated, wrong } = this.found;
    return { lost: shortened(lost), duplicated: shortened(duplicated), wrong: shortened(wrong), settledMs };
  }
}

const shortened = (sentences: readonly string[]): string[] =>
  sentences.length <= maxPerKind
    ? [...sentences]
    : [...sentences.slice(0, maxPerKind), `and ${sentences.length - maxPerKind} more`];
