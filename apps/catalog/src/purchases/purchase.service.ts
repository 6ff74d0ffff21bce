import { Injectable } from '@nestjs/common';
import { type PayloadOf, type PrintOrder, problems, type RecordedPurchase, type Services } from '#contracts';
import { DomainError } from '#kernel';
import { ItemCache } from '../items/item.cache.js';
import { missingPlacesOf, printedPlacesOf, printOrderOf } from '../print-files/print-file.rules.js';
import { PrintedProductQueries } from '../print-files/printed-product.queries.js';
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
    private readonly printedProducts: PrintedProductQueries,
    private readonly catalog: ItemCache,
  ) {}

  /**
   * Records a purchase, so that the owner of the product is notified and its production starts. A
   * repeated external id returns the recorded purchase and has no effect.
   *
   * @throws DomainError product.not-found, user.not-found, item-variant.not-of-item,
   *   print-place.not-of-item, purchase.external-id-reused if the purchase with the external id
   *   differs
   */
  async record(request: PayloadOf<Services['catalog'], 'sales.record'>): Promise<RecordedPurchase> {
    const { productId, buyerName = null, variantId, quantity, externalId = null } = request;
    const buyerId = await this.buyerOf(buyerName, externalId);
    const wanted: WantedPurchase = { externalId, productId, variantId, quantity, buyerId };
    const known = await this.repeated(wanted);
    if (known) return this.replyOf(known, await this.productOf(known), { buyerName, isRepeated: true });
    const product = await this.products.soldProduct(productId);
    const { title: productTitle, ownerId } = product;
    const purchase = { ...wanted, variantId: variantOf(wanted, product) };
    const order = await this.orderOf(purchase);
    const recorded = await this.purchases.record(purchase, { productId, productTitle, ownerId, buyerId }, order);
    // A concurrent request has recorded the external id
    const found = recorded ?? (await this.repeated(wanted))!;
    return this.replyOf(found, product, { buyerName, isRepeated: !recorded });
  }

  /**
   * Returns the id of a buyer. If the name has changed since, a repeated request has the recorded
   * buyer.
   */
  private async buyerOf(name: string | null, externalId: string | null): Promise<number | null> {
    if (name === null) return null;
    try {
      return await this.users.userIdByName(name);
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.kind === problems['user.not-found'];
      const recorded = isUnknown && externalId !== null ? await this.purchases.find(externalId) : undefined;
      if (!recorded) throw error;
      return recorded.buyerId;
    }
  }

  /** Returns the recorded purchase with the external id. @throws DomainError if it differs */
  private async repeated(wanted: WantedPurchase): Promise<Purchase | undefined> {
    const { externalId } = wanted;
    const recorded = externalId === null ? undefined : await this.purchases.find(externalId);
    const differences = recorded ? differencesOf(recorded, wanted) : [];
    if (differences.length > 0) throw externalIdReused(externalId!, differences);
    return recorded;
  }

  /** @throws DomainError print-place.not-of-item if a side of the product cannot be printed */
  private async orderOf({ productId, variantId }: Pick<Purchase, 'productId' | 'variantId'>): Promise<PrintOrder> {
    const product = await this.printedProducts.ofAnyOwner(productId);
    const catalog = await this.catalog.current();
    const order = printOrderOf(product, catalog, { variantId });
    const errors = new ValidationErrors();
    for (const place of missingPlacesOf(order, printedPlacesOf(product, catalog.item(product.itemId)!)))
      errors.add(
        problems['print-place.not-of-item'],
        'productId',
        `product ${productId} cannot be printed on ${place}`,
      );
    errors.throwIfAny();
    return order;
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
