import { LRUCache } from 'lru-cache';
import { type Registry } from 'prom-client';
import { keptMetrics } from './metrics.js';

/** The body of an answer that was given before, and what was made of it: kept as long as anybody has the answer. */
export interface KeptBody {
  readonly etag: string;
  readonly body: Buffer;
  /** The same bytes by their content coding, each made when it was first needed. */
  readonly encoded: Map<string, Promise<Buffer>>;
}

/** What an entry costs beside its text or bytes. */
const entryBytes = 500;
/** As it is, and in both codings: never larger, and mostly a tenth. */
const codings = 3;
const shareOfQuestions = 1 / 16;

/**
 * Bodies of answers in the memory of those who ask, by their entity tag. They are never given to anybody by themselves: the
 * service is asked each time, is told the tag, and says that the answer is still the one with this tag, or another. So
 * nobody sees what is not theirs, or what has changed; only the bytes do not travel again.
 */
export class KeptReplies {
  private readonly bodies: LRUCache<string, KeptBody>;
  /** The tag of what a question was answered with last, whoever asked: it may be that of the next answer. */
  private readonly tags: LRUCache<string, string>;
  /** Answers that did not travel again. */
  hits = 0;
  /** Answers that were kept anew. */
  private misses = 0;
  private readonly watched: readonly (() => void)[];

  /** @param limitBytes of all bodies together, with what they may be encoded to, and of the questions */
  constructor(limitBytes: number, registry?: Registry) {
    this.bodies = new LRUCache({
      maxSize: limitBytes * (1 - shareOfQuestions),
      sizeCalculation: ({ body }) => codings * body.length + entryBytes,
    });
    const sizeCalculation = (_: string, question: string): number => 2 * question.length + entryBytes;
    this.tags = new LRUCache({ maxSize: limitBytes * shareOfQuestions, sizeCalculation });
    const { answers, bytes, limit } = keptMetrics(registry);
    const memory = 'replies';
    this.watched = [
      answers.watch({ memory, outcome: 'hit' }, () => this.hits),
      answers.watch({ memory, outcome: 'miss' }, () => this.misses),
      bytes.watch({ memory }, () => this.bytes),
      limit.watch({ memory }, () => limitBytes),
    ];
  }

  /** What the question was answered with last, if it is still here. */
  last(question: string): KeptBody | undefined {
    const etag = this.tags.get(question);
    return etag === undefined ? undefined : this.bodies.get(etag);
  }

  keep(question: string, etag: string, body: Buffer): KeptBody {
    this.misses += 1;
    this.tags.set(question, etag);
    const known = this.bodies.get(etag);
    if (known) return known;
    // Its own memory: the bytes that came are a part of a larger piece, which would be kept with them
    const own = Buffer.allocUnsafeSlow(body.length);
    body.copy(own);
    const kept = { etag, body: own, encoded: new Map<string, Promise<Buffer>>() };
    this.bodies.set(etag, kept);
    return kept;
  }

  /** Bytes of all that is kept; never above the limit. */
  get bytes(): number {
    return this.bodies.calculatedSize + this.tags.calculatedSize;
  }

  /** Its metrics are not shown any longer. */
  close(): void {
    for (const forget of this.watched) forget();
  }
}
