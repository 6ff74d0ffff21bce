import type {
  FavoriteRecord,
  Ledger,
  LoadUser,
  ProductRecord,
  MaterialRecord,
  Redrawing,
  WriteCounts,
} from './load.js';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A created material as returned. */
export interface Made {
  readonly id: number;
  readonly title: string;
  readonly products: readonly ProductRecord[];
}

/** Largest number of recorded objections. */
const maxObjections = 200;

const none: WriteCounts = { sent: 0, acknowledged: 0 };
const sent = (counts: WriteCounts): WriteCounts => ({ ...counts, sent: counts.sent + 1 });
const acknowledged = (counts: WriteCounts): WriteCounts => ({ ...counts, acknowledged: counts.acknowledged + 1 });

const sumOf = (counts: ReadonlySet<number>, more: number): number[] => [...counts].map((count) => count + more);

/**
 * Ledger of a load. Each write is recorded twice: before it is sent, as possible, and after its
 * response, as acknowledged. A resource is written by one writer at a time.
 */
export class LoadLedger implements Ledger {
  revision = 0;
  acknowledgedWrites = 0;
  readonly materials = new Map<number, Mutable<MaterialRecord>>();
  readonly favorites = new Map<string, Mutable<FavoriteRecord>>();
  readonly maybeMade = new Map<string, number>();
  readonly objections: string[] = [];

  /** @param onAcknowledged called once for each acknowledged write */
  constructor(
    readonly users: readonly LoadUser[],
    private readonly onAcknowledged: () => void = () => undefined,
  ) {}

  object(sentence: string): void {
    if (this.objections.length < maxObjections) this.objections.push(sentence);
  }

  /** Records the start of a creation. @param title unique title */
  making(userId: number, title: string): void {
    this.maybeMade.set(title, userId);
  }

  made(userId: number, title: string, made: Made): void {
    this.maybeMade.delete(title);
    this.acknowledged();
    if (this.materials.has(made.id)) this.object(`material ${made.id} was returned for two creations`);
    if (made.title !== title) this.object(`material ${made.id} was made as "${title}" and returned as "${made.title}"`);
    const { id, products } = made;
    const revision = this.revise();
    const undisturbed = { changes: none, redrawing: undefined, deleted: false } as const;
    this.materials.set(id, { id, userId, products, titles: new Set([title]), ...undisturbed, revision });
  }

  /** Records that a creation was rejected. */
  notMade(title: string): void {
    this.maybeMade.delete(title);
  }

  retitling(id: number, title: string): void {
    const record = this.material(id);
    this.change(record, { titles: new Set([...record.titles, title]), changes: sent(record.changes) });
  }

  retitled(id: number, title: string, returned: string): void {
    this.acknowledged();
    if (returned !== title) this.object(`material ${id} was named "${title}" and returned as "${returned}"`);
    const record = this.material(id);
    this.change(record, { titles: new Set([title]), changes: acknowledged(record.changes) });
  }

  redrawing(id: number, redrawing: Redrawing): void {
    const record = this.material(id);
    this.change(record, { redrawing, changes: sent(record.changes) });
  }

  /** Records a changed resize mode. Changed images need other URLs, because browsers cache them. */
  redrawn(id: number, { productId, resizeMode }: Redrawing, products: readonly ProductRecord[]): void {
    this.acknowledged();
    const record = this.material(id);
    const [before, after] = [record.products, products].map((all) => all.find((it) => it.id === productId));
    if (after?.resizeMode !== resizeMode)
      this.object(`product ${productId} was changed to ${resizeMode} and was returned as ${after?.resizeMode}`);
    if (after?.sampleImageUrl === before?.sampleImageUrl)
      this.object(`product ${productId} was changed and its image has the old URL`);
    this.change(record, { products, redrawing: undefined, changes: acknowledged(record.changes) });
  }

  deleting(id: number): void {
    this.change(this.material(id), { deleted: 'unknown' });
  }

  deleted(id: number): void {
    this.acknowledged();
    this.change(this.material(id), { deleted: true });
  }

  placing(at: Pick<FavoriteRecord, 'userId' | 'productId' | 'ownerId'>, more: number): void {
    const key = `${at.userId}/${at.productId}`;
    const record = this.favorites.get(key) ?? {
      ...at,
      counts: new Set([0]),
      everPlaced: 'unknown' as const,
      placements: none,
      withdrawals: none,
      revision: 0,
    };
    this.favorites.set(key, record);
    const counts = new Set([...record.counts, ...sumOf(record.counts, more)]);
    this.change(record, { counts, placements: sent(record.placements) });
  }

  /** Records a placed favorite. @param before possible counts before the write */
  placed(
    key: string,
    before: ReadonlySet<number>,
    more: number,
    returned: { count: number; totalCount: number },
  ): void {
    this.acknowledged();
    const { count, totalCount } = returned;
    if (!sumOf(before, more).includes(count))
      this.object(`favorite ${key} was [${[...before].join()}], got ${more} more and was returned as ${count}`);
    if (totalCount < count) this.object(`favorite ${key} counts ${count} of ${totalCount} in total`);
    const record = this.favorites.get(key)!;
    const placements = acknowledged(record.placements);
    this.change(record, { counts: new Set([count]), everPlaced: true, placements });
  }

  withdrawing(key: string): void {
    const record = this.favorites.get(key)!;
    this.change(record, { counts: new Set([...record.counts, 0]), withdrawals: sent(record.withdrawals) });
  }

  /**
   * Records a deleted favorite. @param returned its last count; undefined if an earlier attempt has
   * deleted it
   */
  withdrawn(key: string, before: ReadonlySet<number>, returned: number | undefined): void {
    this.acknowledged();
    if (returned !== undefined && !before.has(returned))
      this.object(`favorite ${key} was [${[...before].join()}] and was deleted as ${returned}`);
    const record = this.favorites.get(key)!;
    this.change(record, { counts: new Set([0]), withdrawals: acknowledged(record.withdrawals) });
  }

  private material(id: number): Mutable<MaterialRecord> {
    const record = this.materials.get(id);
    if (!record) throw new Error(`material ${id} is not in the ledger`);
    return record;
  }

  private change<R extends { revision: number }>(record: R, to: Partial<R>): void {
    Object.assign(record, to, { revision: this.revise() });
  }

  private revise(): number {
    return (this.revision += 1);
  }

  private acknowledged(): void {
    this.acknowledgedWrites += 1;
    this.onAcknowledged();
  }
}
