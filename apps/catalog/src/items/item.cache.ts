import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CachedValue } from '#cache';
import { BroadcastListener, runShared } from '#request-queue';
import { CatalogSettings } from '../catalog.settings.js';
import { buildSnapshot, type CatalogSnapshot } from './catalog.snapshot.js';
import { ItemQueries } from './item.queries.js';

export type { CatalogItem, CatalogSnapshot, CatalogVariant } from './catalog.snapshot.js';

/**
 * Cache of all items. The broadcast `items.changed` invalidates the cache in every process, and the
 * next caller reloads it.
 */
@Injectable()
export class ItemCache implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly snapshot: CachedValue<CatalogSnapshot>;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    private readonly queries: ItemQueries,
    settings: CatalogSettings,
    private readonly broadcasts: BroadcastListener,
  ) {
    this.snapshot = new CachedValue({
      name: 'items',
      // Twice, because each language has its own JSON
      bytesOf: ({ listJson, items }) =>
        2 * items.reduce((sum, { variantsJson }) => sum + 2 * variantsJson.length, listJson.length),
      load: () => runShared(async () => buildSnapshot(await queries.wholeCatalog(), settings)),
    });
  }

  onModuleInit(): void {
    const invalidate = () => this.invalidate();
    // Broadcasts are missed while disconnected
    this.stopListening = [this.broadcasts.on('items.changed', invalidate), this.broadcasts.onGap(invalidate)];
  }

  /**
   * Subscribes before loading, so that no change is missed. The service also starts without items.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.broadcasts.start();
    await this.current();
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  current(): Promise<CatalogSnapshot> {
    return this.snapshot.current();
  }

  /**
   * Returns a snapshot with at least this version of an item, if that version is stored. Another
   * process may have imported it before the broadcast arrived here. Clients can request any
   * version, so the stored one is read before the catalog is loaded again.
   */
  async withVersion(itemName: string, version: number): Promise<CatalogSnapshot> {
    const snapshot = await this.current();
    const current = snapshot.itemByName(itemName)?.version ?? 0;
    if (version <= current || (await this.queries.versionOf(itemName)) <= current) return snapshot;
    this.invalidate();
    return this.current();
  }

  invalidate(): void {
    this.snapshot.invalidate();
  }
}
