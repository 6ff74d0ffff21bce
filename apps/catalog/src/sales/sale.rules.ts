import { type SaleDiscount } from '#contracts';
import { contentHash } from '../content-hash.rules.js';

/** Ids by which a sale can target a product. */
interface ProductIds {
  readonly productId: number;
  readonly itemId: number;
  readonly userId: number;
}

/**
 * A sale as stored. Exactly one of the three ids, the target, is set. A sale whose `endsAt` is null
 * runs until an operator ends it.
 */
export interface StoredSale {
  readonly itemId: number | null;
  readonly userId: number | null;
  readonly productId: number | null;
  readonly discount: SaleDiscount;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
}

/** Returns whether a sale runs: from `startsAt` inclusive to `endsAt` exclusive. */
export const isRunning = ({ startsAt, endsAt }: Pick<StoredSale, 'startsAt' | 'endsAt'>, now: Date): boolean =>
  startsAt <= now && (endsAt === null || now < endsAt);

/**
 * Returns the tax-included price after one discount, in whole units: never below zero, percentages
 * rounded down (docs/decisions.md, "Price").
 */
export const applyDiscount = (priceWithTax: number, discount: SaleDiscount): number =>
  discount.kind === 'amount'
    ? Math.max(0, priceWithTax - discount.amount)
    : Math.floor((priceWithTax * (100 - discount.percent)) / 100);

/**
 * Returns the lowest tax-included price of all discounts, which are not combined; without a
 * discount, the price itself.
 */
export const bestPrice = (priceWithTax: number, discounts: readonly SaleDiscount[]): number =>
  Math.min(priceWithTax, ...discounts.map((discount) => applyDiscount(priceWithTax, discount)));

/** Ids of the targets of sales, by kind. */
export interface SaleTargets {
  readonly items: readonly number[];
  readonly users: readonly number[];
  readonly products: readonly number[];
}

/** The sales that run at one time. */
export class RunningSales {
  private readonly byTarget = {
    items: new Map<number, SaleDiscount[]>(),
    users: new Map<number, SaleDiscount[]>(),
    products: new Map<number, SaleDiscount[]>(),
  };

  /** Hash of the sales, equal in all replicas. */
  readonly id: string;

  constructor(sales: readonly StoredSale[]) {
    this.id = contentHash(sales);
    for (const { itemId, userId, productId, discount } of sales) {
      add(this.byTarget.items, itemId, discount);
      add(this.byTarget.users, userId, discount);
      add(this.byTarget.products, productId, discount);
    }
  }

  /** Returns the discounts of all sales that include a product. */
  discountsOf({ productId, itemId, userId }: ProductIds): SaleDiscount[] {
    const { items, users, products } = this.byTarget;
    return [...(items.get(itemId) ?? []), ...(users.get(userId) ?? []), ...(products.get(productId) ?? [])];
  }

  get targets(): SaleTargets {
    const { items, users, products } = this.byTarget;
    return { items: [...items.keys()], users: [...users.keys()], products: [...products.keys()] };
  }
}

function add(discounts: Map<number, SaleDiscount[]>, id: number | null, discount: SaleDiscount): void {
  if (id !== null) discounts.set(id, [...(discounts.get(id) ?? []), discount]);
}
