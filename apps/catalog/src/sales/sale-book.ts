import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { BroadcastListener } from '#request-queue';
import { Kept } from '../kept.js';
import { isRunning, RunningSales, type StoredSale } from './sale.rules.js';
import { SaleQueries } from './sale.queries.js';

/**
 * The sales in memory, coming ones included, so that a sale begins and ends by the clock. They are read once and dropped
 * when an operator changes them.
 */
@Injectable()
export class SaleBook implements OnModuleInit, OnModuleDestroy {
  private readonly sales: Kept<readonly StoredSale[]>;
  /** Those that ran last, which are the same until one begins or ends. */
  private last: { readonly of: readonly StoredSale[]; readonly running: RunningSales } | undefined;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    queries: SaleQueries,
    private readonly notices: BroadcastListener,
  ) {
    this.sales = new Kept(() => queries.notEnded());
  }

  onModuleInit(): void {
    const drop = () => this.drop();
    // A notice that was published while the connection was lost is never sent again
    this.stopListening = [this.notices.on('sales.changed', drop), this.notices.onGap(drop)];
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  /**
   * The sales that run at a moment: to be asked once for an answer, so that all its prices are of one moment.
   *
   * @returns the same object as long as they are the same
   */
  async running(now = new Date()): Promise<RunningSales> {
    const all = await this.sales.current();
    const sales = all.filter((sale) => isRunning(sale, now));
    const { last } = this;
    if (last?.of.length === sales.length && last.of.every((sale, at) => sale === sales[at])) return last.running;
    this.last = { of: sales, running: new RunningSales(sales) };
    return this.last.running;
  }

  /** Forgets what is in memory. */
  drop(): void {
    this.sales.drop();
  }
}
