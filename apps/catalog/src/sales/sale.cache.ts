import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CachedValue } from '#cache';
import { BroadcastListener, runShared } from '#request-queue';
import { isRunning, RunningSales, type StoredSale } from './sale.rules.js';
import { SaleQueries } from './sale.queries.js';

/**
 * Cache of all sales that have not ended, including future ones, so that sales start and end by the
 * clock. Changes by operators invalidate the cache.
 */
@Injectable()
export class SaleCache implements OnModuleInit, OnModuleDestroy {
  private readonly sales: CachedValue<readonly StoredSale[]>;
  /** Result of the last call, reused while the same sales run. */
  private last: { readonly sales: readonly StoredSale[]; readonly running: RunningSales } | undefined;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    queries: SaleQueries,
    private readonly broadcasts: BroadcastListener,
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
    this.stopListening = [this.broadcasts.on('sales.changed', invalidate), this.broadcasts.onGap(invalidate)];
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  /**
   * Returns the sales that run at a time. Call it once per response, so that all its prices are of
   * the same time.
   *
   * @returns the same object until a sale starts or ends, or `invalidate` is called
   */
  async running(now = new Date()): Promise<RunningSales> {
    const all = await this.sales.current();
    const sales = all.filter((sale) => isRunning(sale, now));
    const { last } = this;
    if (last?.sales.length === sales.length && last.sales.every((sale, at) => sale === sales[at])) return last.running;
    this.last = { sales, running: new RunningSales(sales) };
    return this.last.running;
  }

  invalidate(): void {
    this.sales.invalidate();
  }
}
