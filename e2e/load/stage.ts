import type { LoadUser, MadeProduct } from './load.js';
import type { Random } from './random.js';

/** A material that may be written. */
export interface StagedMaterial {
  readonly id: number;
  readonly user: LoadUser;
  /** As they were answered last. */
  products: readonly MadeProduct[];
  /** It is being changed or deleted. */
  isWritten: boolean;
  /** How many favorites of its products are being placed or withdrawn. */
  favoring: number;
  /** An attempt without an answer may still change it: who changed it now could be overtaken. */
  isUnsure: boolean;
}

/** One user's favorite of one product. */
export interface Pair {
  readonly key: string;
  readonly user: LoadUser;
  readonly product: MadeProduct;
  readonly material: StagedMaterial;
  isPlaced: boolean;
  isWritten: boolean;
  /** An attempt without an answer may still withdraw it. */
  isUnsure: boolean;
}

/** Favorites of one user on one product within an hour are one activity: what is older is left alone. */
const favorableMs = 50 * 60_000;

/** Who and what is there to act with. No thing is handed out to two writers that would have to agree. */
export class Stage {
  private readonly materials = new Map<number, StagedMaterial & { readonly since: number }>();
  private readonly pairs = new Map<string, Pair>();
  private readonly inTheMaking = new Map<number, number>();

  constructor(private readonly random: Random) {}

  /** How many materials a user has, or is about to have. */
  countOf(user: LoadUser): number {
    return this.of(user).length + (this.inTheMaking.get(user.id) ?? 0);
  }

  beginMaking({ id }: LoadUser): void {
    this.inTheMaking.set(id, (this.inTheMaking.get(id) ?? 0) + 1);
  }

  endMaking({ id }: LoadUser): void {
    this.inTheMaking.set(id, this.inTheMaking.get(id)! - 1);
  }

  add(material: Pick<StagedMaterial, 'id' | 'user' | 'products'>): void {
    const fresh = { isWritten: false, favoring: 0, isUnsure: false };
    this.materials.set(material.id, { ...material, ...fresh, since: performance.now() });
  }

  remove({ id }: StagedMaterial): void {
    this.materials.delete(id);
    for (const [key, pair] of this.pairs) if (pair.material.id === id) this.pairs.delete(key);
  }

  /** Whether a material that was read just now may be missing. */
  mayBeGone(id: number): boolean {
    const material = this.materials.get(id);
    return material === undefined || material.isWritten;
  }

  /** The oldest material of a user that nobody writes, for its deletion. */
  oldestOf(user: LoadUser): StagedMaterial | undefined {
    return this.of(user).find(({ isWritten, favoring }) => !isWritten && favoring === 0);
  }

  /** A material that may be changed; with `itemId` one that has a product of the item. */
  anyChangeable(itemId?: number): StagedMaterial | undefined {
    const has = ({ products }: StagedMaterial) => itemId === undefined || products.some((it) => it.itemId === itemId);
    return this.random.of([...this.materials.values()].filter((it) => !it.isWritten && !it.isUnsure && has(it)));
  }

  any(): StagedMaterial | undefined {
    return this.random.of([...this.materials.values()].filter(({ isWritten }) => !isWritten));
  }

  /** A published product, new to the user or already favored, whose favorite nobody writes. */
  anyFavorable(user: LoadUser): Pair | undefined {
    const young = performance.now() - favorableMs;
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
      isUnsure: false,
    };
    return pair.isWritten || pair.isUnsure ? undefined : pair;
  }

  /** A favorite of a user that may be withdrawn. */
  anyPlaced(user: LoadUser): Pair | undefined {
    return this.random.of(this.placedOf(user).filter((pair) => !pair.isWritten && !pair.material.isWritten));
  }

  countPlaced(user: LoadUser): number {
    return this.placedOf(user).length;
  }

  /** Keeps others away from a material while it is written. */
  async whileWritten(material: StagedMaterial, write: () => Promise<void>): Promise<void> {
    material.isWritten = true;
    await write().finally(() => (material.isWritten = false));
  }

  /** Keeps others away from a favorite, and its material from being deleted. */
  async whilePairWritten(pair: Pair, write: () => Promise<void>): Promise<void> {
    this.pairs.set(pair.key, pair);
    pair.isWritten = true;
    pair.material.favoring += 1;
    await write().finally(() => {
      pair.isWritten = false;
      pair.material.favoring -= 1;
    });
  }

  private of(user: LoadUser): StagedMaterial[] {
    return [...this.materials.values()].filter((material) => material.user.id === user.id);
  }

  private placedOf(user: LoadUser): Pair[] {
    return [...this.pairs.values()].filter((pair) => pair.isPlaced && pair.user.id === user.id);
  }
}
