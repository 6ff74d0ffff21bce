import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { NoticeListener } from '#request-queue';
import { CatalogSettings } from '../settings.js';
import { buildSnapshot, type CatalogSnapshot } from './catalog-snapshot.js';
import { ItemQueries } from './item.queries.js';

export type { CatalogItem, CatalogSnapshot, CatalogVariant } from './catalog-snapshot.js';

/**
 * The items in memory. They are read once and dropped when they change; whoever asks next reads them again. A snapshot
 * never changes: who has one may finish with it.
 */
@Injectable()
export class ItemCatalog implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private snapshot: Promise<CatalogSnapshot> | undefined;
  private stopListening: readonly (() => void)[] = [];

  constructor(
    private readonly queries: ItemQueries,
    private readonly settings: CatalogSettings,
    private readonly notices: NoticeListener,
  ) {}

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

  /** The items as they are now. All who ask while they are being read get the same reading. */
  current(): Promise<CatalogSnapshot> {
    this.snapshot ??= this.read();
    return this.snapshot;
  }

  /** Forgets what is in memory. A reading under way may be from before the change, so the next question starts anew. */
  drop(): void {
    this.snapshot = undefined;
  }

  private read(): Promise<CatalogSnapshot> {
    const reading = this.queries.wholeCatalog().then((stored) => buildSnapshot(stored, this.settings));
    // A failure is told to those who waited for it, not to everybody after them
    reading.catch(() => {
      if (this.snapshot === reading) this.snapshot = undefined;
    });
    return reading;
  }
}
