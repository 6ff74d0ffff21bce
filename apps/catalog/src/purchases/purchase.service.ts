import { Injectable } from '@nestjs/common';
import { type PayloadOf, problems, type RecordedPurchase, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { ProductFactsQueries, type SoldProduct } from '../products/product-facts.queries.js';
import { ValidationErrors } from '../products/validation-errors.rules.js';
import { SaleQueries } from '../sales/sale.queries.js';
import { externalIdReused } from './purchase.errors.js';
import { PurchaseRepository } from './purchase.repository.js';
import { differencesOf, type Purchase, type WantedPurchase } from './purchase.rules.js';

/** Use cases of purchases, for operators and order systems. */
@Injectable()
export class PurchaseService {
  constructor(
    private readonly purchases: PurchaseRepository,
    private readonly users: SaleQueries,
    private readonly products: ProductFactsQueries,
  ) {}

  /**
   * Records a purchase, so that the owner of the product is notified. A repeated external id
   * returns the recorded purchase and has no effect.
   *
   * @throws DomainError product.not-found, user.not-found, item-variant.not-of-item,
   *   purchase.external-id-reused if the purchase with the external id differs
   */
  async record(request: PayloadOf<Services['catalog'], 'sales.record'>): Promise<RecordedPurchase> {
    const { productId, buyerName = null, variantId, quantity, externalId = null } = request;
    const buyerId = buyerName === null ? null : await this.users.userIdByName(buyerName);
    const wanted: WantedPurchase = { externalId, productId, variantId, quantity, buyerId };
    const known = await this.repeated(wanted);
    if (known) return this.replyOf(known, await this.productOf(known), { buyerName, isRepeated: true });
    const product = await this.products.soldProduct(productId);
    const { title: productTitle, ownerId } = product;
    const purchase = { ...wanted, variantId: variantOf(wanted, product) };
    const recorded = await this.purchases.record(purchase, { productId, productTitle, ownerId, buyerId });
    // A concurrent request has recorded the external id
    const found = recorded ?? (await this.repeated(wanted))!;
    return this.replyOf(found, product, { buyerName, isRepeated: !recorded });
  }

  /** Returns the recorded purchase with the external id. @throws DomainError if it differs */
  private async repeated(wanted: WantedPurchase): Promise<Purchase | undefined> {
    const { externalId } = wanted;
    const recorded = externalId === null ? undefined : await this.purchases.find(externalId);
    const differences = recorded ? differencesOf(recorded, wanted) : [];
    if (differences.length > 0) throw externalIdReused(externalId!, differences);
    return recorded;
  }

  private productOf({ productId }: Purchase): Promise<SoldProduct | null> {
    return this.products.soldProduct(productId).catch((error: unknown) => {
      if (error instanceof DomainError && error.kind === problems['product.not-found']) return null;
      throw error;
    });
  }

  private replyOf(
    { id: purchaseId, externalId, productId, variantId, quantity }: Purchase,
    product: SoldProduct | null,
    more: Pick<RecordedPurchase, 'buyerName' | 'isRepeated'>,
  ): RecordedPurchase {
    const { title = null, ownerName = null } = product ?? {};
    return { purchaseId, externalId, productId, variantId, quantity, title, ownerName, ...more };
  }
}

/** A disabled variant is accepted, because the purchase was made before it is recorded. */
function variantOf({ productId, variantId }: WantedPurchase, product: SoldProduct): number {
  const id = variantId ?? product.variantId;
  const errors = new ValidationErrors();
  if (!product.item.variants.some((variant) => variant.id === id))
    errors.add(problems['item-variant.not-of-item'], 'variantId', `product ${productId} has no variant ${id}`);
  errors.throwIfAny();
  return id;
}
