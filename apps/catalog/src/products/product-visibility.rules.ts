import type { EventPayload } from '#contracts';

/** A product whose visibility to all users may change. `revision` is the stored one. */
interface VisibilityChange {
  readonly id: number;
  readonly itemId: number;
  readonly revision: number;
  readonly before: boolean;
  readonly after: boolean;
}

/** Payloads of the events of products by name. */
export type VisibilityEvents = {
  readonly [Name in 'product.published' | 'product.unpublished']: readonly EventPayload<Name>[];
};

/** Returns the events of products that have become visible or hidden, with the next revision. */
export function visibilityEvents(
  material: { readonly materialId: number; readonly userId: number },
  products: readonly VisibilityChange[],
): VisibilityEvents {
  const payloads = (visible: boolean) =>
    products
      .filter(({ before, after }) => before !== after && after === visible)
      .map(({ id, itemId, revision }) => ({ ...material, productId: id, itemId, revision: revision + 1 }));
  return { 'product.published': payloads(true), 'product.unpublished': payloads(false) };
}
