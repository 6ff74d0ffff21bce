import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { BroadcastListener } from '#request-queue';
import { Kept } from '../kept.js';
import { CatalogSettings } from '../catalog.settings.js';
import { buildSnapshot, type CatalogSnapshot } from './catalog.snapshot.js';
import { ItemQueries } from './item.queries.js';

export type { CatalogItem, CatalogSnapshot, CatalogVariant } from './catalog.snapshot.js';

/** The items in memory. They are read once and dropped when they change; whoever asks next reads them again. */
@Injectable()
export class ItemCatalog implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly snapshot: Kept<CatalogSnapshot>;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    queries: ItemQueries,
    settings: CatalogSettings,
    private readonly notices: BroadcastListener,
  ) {
    this.snapshot = new Kept(async () => buildSnapshot(await queries.wholeCatalog(), settings));
  }

  onModuleInit(): void {
    const drop = () => this.drop();
    // A notice that was published while the connection was lost is never sent again
    this.stopListening = [this.notices.on('items.changed', drop), this.notices.onGap(drop)];
  }

  /** Listens first and reads then, so that no change falls between. An empty catalogue is a catalogue. */
  async onApplicationBootstrap(): Promise<void> {
    await this.notices.start();
    await this.current();
  }

  onModuleDestroy(): void {
    for (const stop of this.stopListening) stop();
  }

  /** The items as they are now. */
  current(): Promise<CatalogSnapshot> {
    return this.snapshot.current();
  }

  /** Forgets what is in memory. */
  drop(): void {
    this.snapshot.drop();
  }
}
