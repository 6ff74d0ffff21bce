import { type SaleDiscount } from '#contracts';

/** What a sale can be for, by the ids of a product. */
interface SaleScope {
  readonly productId: number;
  readonly itemId: number;
  readonly userId: number;
}

/** A sale in memory. Exactly one of the three ids says what it is for. `endsAt` null: until it is ended. */
export interface StoredSale {
  readonly itemId: number | null;
  readonly userId: number | null;
  readonly productId: number | null;
  readonly discount: SaleDiscount;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
}

/** The first moment of a sale is part of it, the last one is not. */
export const isRunning = ({ startsAt, endsAt }: Pick<StoredSale, 'startsAt' | 'endsAt'>, now: Date): boolean =>
  startsAt <= now && (endsAt === null || now < endsAt);

/**
 * The tax-included price after one discount, in whole units: never below zero, a share rounded down (docs/decisions.md, "Price").
 */
export const discounted = (priceWithTax: number, discount: SaleDiscount): number =>
  discount.kind === 'amount'
    ? Math.max(0, priceWithTax - discount.amount)
    : Math.floor((priceWithTax * (100 - discount.percent)) / 100);

/** The tax-included price in the sale that is best for the buyer; the price itself without one. Sales do not add up. */
export const bestPrice = (priceWithTax: number, discounts: readonly SaleDiscount[]): number =>
  Math.min(priceWithTax, ...discounts.map((discount) => discounted(priceWithTax, discount)));

/** Ids of what is on sale. */
export interface SaleTargets {
  readonly items: readonly number[];
  readonly users: readonly number[];
  readonly products: readonly number[];
}

/** The sales that run at one moment. */
export class RunningSales {
  private readonly byTarget = {
    items: new Map<number, SaleDiscount[]>(),
    users: new Map<number, SaleDiscount[]>(),
    products: new Map<number, SaleDiscount[]>(),
  };

  constructor(sales: readonly StoredSale[]) {
    for (const { itemId, userId, productId, discount } of sales) {
      add(this.byTarget.items, itemId, discount);
      add(this.byTarget.users, userId, discount);
      add(this.byTarget.products, productId, discount);
    }
  }

  /** The discounts of all sales that a product is in. */
  of({ productId, itemId, userId }: SaleScope): SaleDiscount[] {
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
