import { type FieldError } from '#kernel';

/** A purchase as stored. */
export interface Purchase {
  readonly id: number;
  readonly externalId: string | null;
  readonly productId: number;
  readonly variantId: number;
  readonly quantity: number;
  readonly buyerId: number | null;
  readonly createdAt: Date;
}

/** A purchase to record. */
export interface WantedPurchase extends Omit<Purchase, 'id' | 'variantId' | 'createdAt'> {
  /** Undefined for the representative variant of the product. */
  readonly variantId: number | undefined;
}

/** Fields of a repeated request with their names in the request. */
const comparedFields = {
  externalId: 'externalId',
  productId: 'productId',
  variantId: 'variantId',
  quantity: 'quantity',
  buyerId: 'buyerName',
} as const;

/**
 * Returns an error for each field of a repeated request that differs from the recorded purchase. A
 * missing variant is not compared, because the representative variant may have changed since.
 */
export const differencesOf = (recorded: Purchase, wanted: WantedPurchase): FieldError[] =>
  (Object.keys(comparedFields) as (keyof typeof comparedFields)[]).flatMap((field) => {
    if (wanted[field] === recorded[field] || (field === 'variantId' && wanted.variantId === undefined)) return [];
    const message =
      field === 'buyerId' ? 'the purchase has another buyer' : `the purchase has ${String(recorded[field])}`;
    return { path: comparedFields[field], message };
  });
