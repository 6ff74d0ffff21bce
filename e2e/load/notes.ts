import type { Findings } from './load.js';

/** More of a kind say nothing new; their number is said. */
const mostOfAKind = 100;

/** Collects what a check finds. */
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
  sentences.length <= mostOfAKind
    ? [...sentences]
    : [...sentences.slice(0, mostOfAKind), `and ${sentences.length - mostOfAKind} more`];
