import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CachedValue } from '#cache';
import { BroadcastListener, runShared } from '#request-queue';
import { isRunning, RunningSales, type StoredSale } from './sale.rules.js';
import { SaleQueries } from './sale.queries.js';

/**
 * The sales that have not ended, future ones included, so that a sale starts and ends by the clock. A change by an
 * operator invalidates them.
 */
@Injectable()
export class SaleCache implements OnModuleInit, OnModuleDestroy {
  private readonly sales: CachedValue<readonly StoredSale[]>;
  /** The running sales of the last call, the same until one starts or ends. */
  private last: { readonly of: readonly StoredSale[]; readonly running: RunningSales } | undefined;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    queries: SaleQueries,
    private readonly notices: BroadcastListener,
  ) {
    this.sales = new CachedValue<readonly StoredSale[]>({
      name: 'sales',
      bytesOf: (sales) => 250 * sales.length,
      load: () => runShared(() => queries.notEnded()),
    });
  }

  onModuleInit(): void {
    const invalidate = () => this.invalidate();
    // Broadcasts are missed while disconnected
    this.stopListening = [this.notices.on('sales.changed', invalidate), this.notices.onGap(invalidate)];
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  /**
   * The sales that run at a moment. To be called once for a response, so that all its prices are of one moment.
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

  invalidate(): void {
    this.sales.invalidate();
  }
}
