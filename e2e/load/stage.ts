import type { LoadUser, ProductRecord } from './load.js';
import type { Random } from './random.js';

/** A material that can be written. */
export interface StagedMaterial {
  readonly id: number;
  readonly user: LoadUser;
  /** Products as last returned. */
  products: readonly ProductRecord[];
  /** True if it is being changed or deleted. */
  isWritten: boolean;
  /** Number of favorites of its products that are being written. */
  favoritesInFlight: number;
  /**
   * True if an attempt without a response may still change it, so that another change could be
   * overwritten.
   */
  isUncertain: boolean;
}

/** Favorite of a user on a product, placed or not. */
export interface Pair {
  readonly key: string;
  readonly user: LoadUser;
  readonly product: ProductRecord;
  readonly material: StagedMaterial;
  isPlaced: boolean;
  isWritten: boolean;
  /** True if an attempt without a response may still delete it. */
  isUncertain: boolean;
}

/**
 * Age up to which the products of a material are used. Favorites of a user on a product have one
 * activity per hour; within this time the check can require exactly one.
 */
const maxFavoriteAgeMs = 50 * 60_000;

/** Resources for writes. A resource is never returned to two conflicting writers. */
export class Stage {
  private readonly materials = new Map<number, StagedMaterial & { readonly since: number }>();
  private readonly pairs = new Map<string, Pair>();
  private readonly inCreation = new Map<number, number>();

  constructor(private readonly random: Random) {}

  /** Returns the number of materials of a user, including those in creation. */
  countOf(user: LoadUser): number {
    return this.of(user).length + (this.inCreation.get(user.id) ?? 0);
  }

  beginMaking({ id }: LoadUser): void {
    this.inCreation.set(id, (this.inCreation.get(id) ?? 0) + 1);
  }

  endMaking({ id }: LoadUser): void {
    this.inCreation.set(id, this.inCreation.get(id)! - 1);
  }

  add(material: Pick<StagedMaterial, 'id' | 'user' | 'products'>): void {
    const fresh = { isWritten: false, favoritesInFlight: 0, isUncertain: false };
    this.materials.set(material.id, { ...material, ...fresh, since: performance.now() });
  }

  remove({ id }: StagedMaterial): void {
    this.materials.delete(id);
    for (const [key, pair] of this.pairs) if (pair.material.id === id) this.pairs.delete(key);
  }

  /** Returns whether a material is removed or being written, so that its requests may get 404. */
  mayBeDeleted(id: number): boolean {
    const material = this.materials.get(id);
    return material === undefined || material.isWritten;
  }

  /** Returns the oldest material of a user without a write or favorite in flight, for deletion. */
  oldestOf(user: LoadUser): StagedMaterial | undefined {
    return this.of(user).find(({ isWritten, favoritesInFlight }) => !isWritten && favoritesInFlight === 0);
  }

  /** Returns a material for a change; with `itemId` one with a product of the item. */
  anyChangeable(itemId?: number): StagedMaterial | undefined {
    const has = ({ products }: StagedMaterial) => itemId === undefined || products.some((it) => it.itemId === itemId);
    return this.random.of([...this.materials.values()].filter((it) => !it.isWritten && !it.isUncertain && has(it)));
  }

  any(): StagedMaterial | undefined {
    return this.random.of([...this.materials.values()].filter(({ isWritten }) => !isWritten));
  }

  /** Returns a favorite of a user on a published product that is not being written. */
  anyPairForFavorite(user: LoadUser): Pair | undefined {
    const young = performance.now() - maxFavoriteAgeMs;
    const material = this.random.of([...this.materials.values()].filter((it) => !it.isWritten && it.since > young));
    const product = material && this.random.of(material.products.filter(({ published }) => published));
    if (!product) return undefined;
    const key = `${user.id}/${product.id}`;
    const pair = this.pairs.get(key) ?? {
      key,
      user,
      product,
      material,
      isPlaced: false,
      isWritten: false,
      isUncertain: false,
    };
    return pair.isWritten || pair.isUncertain ? undefined : pair;
  }

  /** Returns a favorite of a user for deletion. */
  anyPlaced(user: LoadUser): Pair | undefined {
    return this.random.of(this.placedOf(user).filter((pair) => !pair.isWritten && !pair.material.isWritten));
  }

  countPlaced(user: LoadUser): number {
    return this.placedOf(user).length;
  }

  /** Locks a material during a write. */
  async whileWritten(material: StagedMaterial, write: () => Promise<void>): Promise<void> {
    material.isWritten = true;
    await write().finally(() => (material.isWritten = false));
  }

  /** Locks a favorite during a write, and its material against deletion. */
  async whilePairWritten(pair: Pair, write: () => Promise<void>): Promise<void> {
    this.pairs.set(pair.key, pair);
    pair.isWritten = true;
    pair.material.favoritesInFlight += 1;
    await write().finally(() => {
      pair.isWritten = false;
      pair.material.favoritesInFlight -= 1;
    });
  }

  private of(user: LoadUser): StagedMaterial[] {
    return [...this.materials.values()].filter((material) => material.user.id === user.id);
  }

  private placedOf(user: LoadUser): Pair[] {
    return [...this.pairs.values()].filter((pair) => pair.isPlaced && pair.user.id === user.id);
  }
}
