import { LRUCache } from 'lru-cache';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { keptMetrics, RawReply } from '#request-queue';
import { isSameShop, type Shop } from './shop.js';
import { CatalogSettings } from '../catalog.settings.js';
import { Freshness } from './freshness.js';

/** An answer as it was made: with the mark of that moment, and the items and sales in memory. */
interface MadeAnswer {
  readonly reply: RawReply;
  /** Undefined when the answer is this viewer's alone. */
  readonly mark: string | undefined;
}

interface KeptAnswer {
  readonly reply: RawReply;
  readonly mark: string;
}

/** An answer that is being made, and when its making began: what was committed before that it shows. */
interface Making {
  readonly began: number;
  readonly shop: Shop;
  readonly answer: Promise<MadeAnswer>;
}

/** A user that there is not. */
const nobody = 0;
/**
 * Answers that are the same for everybody who has no drafts, made once for as long as nothing changes that they show.
 * Whether that is so is asked in the database each time: nobody sees a write of their own, or anybody else's, late.
 */
@Injectable()
export class KeptAnswers implements OnApplicationShutdown {
  private readonly answers: LRUCache<string, KeptAnswer>;

  private readonly making = new Map<string, Making>();
  /** What all that is kept was made with. */
  private shop: Shop | undefined;
  /** Counts what begins, so that two of it have an order. */
  private moment = 0;
  private readonly counts = { hit: 0, shared: 0, miss: 0 };
  private readonly watched: readonly (() => void)[];

  constructor(
    private readonly freshness: Freshness,
    { keptBytes }: CatalogSettings,
  ) {
    const sizeCalculation = ({ reply }: KeptAnswer, question: string): number =>
      reply.body.length + 2 * question.length + 1_000;
    // What is larger than all is not kept
    this.answers = new LRUCache({ maxSize: Math.max(1, keptBytes), sizeCalculation });
    const { answers, bytes, limit } = keptMetrics();
    const memory = 'answers';
    this.watched = [
      ...(['hit', 'shared', 'miss'] as const).map((outcome) =>
        answers.watch({ memory, outcome }, () => this.counts[outcome]),
      ),
      bytes.watch({ memory }, () => this.answers.calculatedSize),
      limit.watch({ memory }, () => keptBytes),
    ];
  }

  onApplicationShutdown(): void {
    for (const forget of this.watched) forget();
  }

  /**
   * @param question everything that decides the answer but the viewer
   * @param viewerId null when the answer is the same for all who may see it, drafts or not
   * @param shop as it is now
   * @param make makes the answer for this viewer
   */
  async answer(
    question: string,
    viewerId: number | null,
    shop: Shop,
    make: () => Promise<MadeAnswer>,
  ): Promise<RawReply> {
    const asked = this.moment++;
    this.enter(shop);
    const kept = this.answers.get(question);
    if (kept || this.making.has(question)) {
      // A failure is for whoever asks the page, too, and not for all who have asked with them
      const fresh = await this.freshness.ask(viewerId ?? nobody).catch(() => undefined);
      if (fresh && !fresh.hasDrafts) {
        if (kept?.mark === fresh.mark && this.isIn(shop)) {
          this.counts.hit += 1;
          return kept.reply;
        }
        const making = this.makingSince(asked, question, shop);
        // Its failure is its own: it may be of its caller, whose time is over
        const shared = making && (await making.answer.catch(() => undefined));
        if (shared?.mark !== undefined) {
          this.counts.shared += 1;
          return shared.reply;
        }
      }
    }
    this.counts.miss += 1;
    return this.made(question, shop, make);
  }

  /** Answers that were made with other items or sales hold for nobody, and would keep these in memory. */
  private enter(shop: Shop): void {
    if (this.isIn(shop)) return;
    this.answers.clear();
    this.shop = shop;
  }

  private isIn(shop: Shop): boolean {
    return this.shop !== undefined && isSameShop(this.shop, shop);
  }

  /** What another makes for the same question, if that began after this one was asked. */
  private makingSince(asked: number, question: string, shop: Shop): Making | undefined {
    const making = this.making.get(question);
    return making && making.began > asked && isSameShop(making.shop, shop) ? making : undefined;
  }

  private async made(question: string, shop: Shop, make: () => Promise<MadeAnswer>): Promise<RawReply> {
    const making = { began: this.moment++, shop, answer: make() };
    this.making.set(question, making);
    try {
      const { reply, mark } = await making.answer;
      if (mark !== undefined && this.isIn(shop)) this.answers.set(question, { reply, mark });
      return reply;
    } finally {
      if (this.making.get(question) === making) this.making.delete(question);
    }
  }
}
