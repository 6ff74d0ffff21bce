import { isDeepStrictEqual } from 'node:util';
import { effectiveResizeMode, type EventPayload, filePathOf, type Texture } from '#contracts';
import { difference } from '../products/difference.rules.js';
import { type CatalogSnapshot } from '../items/catalog.snapshot.js';
import {
  validateProductChanges,
  type ProductChange,
  type ProductFields,
  type ProductState,
  type WantedChange,
} from '../products/product-change.rules.js';
import { type ProductDraft } from '../products/product-draft.rules.js';
import { type ProductPrint } from '../products/product.rules.js';
import { visibilityEvents, type VisibilityEvents } from '../products/product-visibility.rules.js';
import { materialNotFound, materialNotOwned } from './material.errors.js';

type EventOf<Name extends 'material.updated' | 'material.deleted'> = {
  readonly name: Name;
  readonly payload: EventPayload<Name>;
};

type MaterialEvent = EventOf<'material.updated'> | EventOf<'material.deleted'>;

/** A material to insert, with validated products and stored textures. */
export interface MaterialDraft {
  readonly userId: number;
  readonly title: string;
  readonly description: string | null;
  readonly price: number;
  readonly texture: Texture;
  readonly products: readonly ProductDraft[];
}

/** Fields of a material that can change. */
interface MaterialFields {
  readonly title: string;
  readonly description: string | null;
  readonly price: number;
  readonly published: boolean;
  readonly violation: boolean;
  /** Reason of the operator who last set or cleared `violation`; null initially. */
  readonly violationReason: string | null;
}

export interface MaterialState extends MaterialFields {
  readonly id: number;
  readonly userId: number;
  readonly uploadedAt: Date;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly textureFormat: string;
  readonly textureHash: string;
  readonly dominantRgb: string | null;
  readonly animated: boolean;
  /** Revision in the last event of the material. */
  readonly revision: number;
}

/** Change requested by the owner. Missing and undefined fields are not changed. */
interface WantedMaterialChange {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly price?: number | undefined;
  readonly products?: readonly WantedChange[] | undefined;
}

type StoredProductFields = ProductFields & Pick<ProductState, 'imageRevision'>;

/** Changed values to write, and products to insert. */
export interface MaterialChanges {
  readonly fields: Partial<MaterialFields>;
  readonly products: readonly { readonly id: number; readonly change: Partial<StoredProductFields> }[];
  readonly created: readonly ProductDraft[];
}

/** Aggregate of a stored material and its products. */
export class Material {
  private appendedEvent: MaterialEvent | undefined;
  private pendingChanges: MaterialChanges | undefined;

  constructor(
    private readonly state: MaterialState,
    private readonly products: readonly ProductState[],
  ) {}

  get deleted(): boolean {
    return this.appendedEvent?.name === 'material.deleted';
  }

  /** Changes to write; undefined if no value has changed, and for a deletion. */
  get changes(): MaterialChanges | undefined {
    return this.pendingChanges;
  }

  /** Event of the change; undefined if no value has changed. */
  get event(): MaterialEvent | undefined {
    return this.appendedEvent;
  }

  /**
   * Events of the stored products that the change makes visible to all users or hides from them.
   * The events of new products follow from `changes.created`.
   */
  get visibilityEvents(): VisibilityEvents {
    const { id: materialId, userId } = this.state;
    const { fields = {}, products = [] } = this.pendingChanges ?? {};
    const changeOf = new Map(products.map(({ id, change }) => [id, change]));
    const violation = fields.violation ?? this.state.violation;
    const changes = this.products.map(({ id, itemId, revision, published }) => ({
      id,
      itemId,
      revision,
      before: published && !this.state.violation,
      after: !this.deleted && (changeOf.get(id)?.published ?? published) && !violation,
    }));
    return visibilityEvents({ materialId, userId }, changes);
  }

  /**
   * Changes fields and products of the material, and creates a product for each requested item
   * without one. Only the owner may change a material.
   *
   * @throws DomainError as `delete`, or 422 with the path of each violation of the catalog's rules
   */
  change(viewerId: number, wanted: WantedMaterialChange, catalog: CatalogSnapshot): void {
    this.checkOwner(viewerId);
    const { originalWidth: width, originalHeight: height, dominantRgb, animated } = this.state;
    const artwork = { width, height, dominantRgb, animated };
    const { changed, created } = validateProductChanges(catalog, this.products, wanted.products ?? [], artwork);
    const changeOf = new Map(changed.map(({ product, change }) => [product.id, change]));
    const published =
      this.products.some((it) => changeOf.get(it.id)?.published ?? it.published) ||
      created.some(({ product }) => product.published);
    const { title, description, price } = wanted;
    const fields = difference<MaterialFields>(this.state, { title, description, price, published });
    if (Object.keys(fields).length + changed.length + created.length === 0) return;
    this.write({
      fields,
      products: changed.map((it) => ({ id: it.product.id, change: { ...it.change, ...revision(it) } })),
      created: created.map(({ product }) => product),
    });
    const itemsWithNewImages = changed.filter(changesImages).map(({ product }) => product.itemName);
    const unpublished = changed
      .filter(({ change }) => change.published === false)
      .map(({ product }) => product.itemName);
    this.appendUpdatedEvent({
      stale: this.state.violation ? 'all' : [...itemsWithNewImages, ...created.map(({ item }) => item.name)],
      unpublished,
      changed: [
        ...(['title', 'description', 'price'] as const).filter((name) => name in fields),
        ...(changed.length + created.length > 0 ? (['products'] as const) : []),
      ],
    });
  }

  /**
   * Marks the material as violating the rules, which hides the material and its products from all
   * users but the owner. Idempotent. For operators.
   */
  violate(reason: string): void {
    if (this.state.violation) return;
    this.write({ fields: { violation: true, violationReason: reason } });
    this.appendUpdatedEvent({ stale: 'all', unpublished: [], changed: ['violation'] });
  }

  /** Clears a violation. Idempotent. For operators. */
  clear(reason: string): void {
    if (!this.state.violation) return;
    this.write({ fields: { violation: false, violationReason: reason } });
    const stale = this.products.map(({ itemName }) => itemName);
    this.appendUpdatedEvent({ stale, unpublished: [], changed: ['violation'] });
  }

  /**
   * Marks the material as deleted. Only the owner may do so.
   *
   * @throws DomainError material.not-found for a viewer who may not see the material,
   *   material.not-owned for other viewers who are not the owner
   */
  delete(viewerId: number): void {
    this.checkOwner(viewerId);
    const { id: materialId, userId, textureFormat: format } = this.state;
    const productIds = this.products.map(({ id }) => id);
    const prints = this.products.flatMap((product) => product.prints);
    const textures = [...new Set([this.state.textureHash, ...prints.map(({ textureHash }) => textureHash)])];
    const filePath = filePathOf({ ...this.state, materialId, format });
    const payload = { materialId, userId, productIds, filePath, textures, revision: this.state.revision + 1 };
    this.appendedEvent = { name: 'material.deleted', payload };
  }

  private checkOwner(viewerId: number): void {
    const { id, userId, published, violation } = this.state;
    if (userId !== viewerId) throw published && !violation ? materialNotOwned(id) : materialNotFound(id);
  }

  private write(changes: Partial<MaterialChanges>): void {
    this.pendingChanges = { fields: {}, products: [], created: [], ...changes };
  }

  private appendUpdatedEvent(
    change: Pick<EventPayload<'material.updated'>, 'stale' | 'unpublished' | 'changed'>,
  ): void {
    const { id: materialId, userId, revision } = this.state;
    const payload = { materialId, userId, ...change, revision: revision + 1 };
    this.appendedEvent = { name: 'material.updated', payload };
  }
}

const enabledPrints = (prints: readonly ProductPrint[]): ProductPrint[] => prints.filter(({ enabled }) => enabled);

/**
 * Returns whether a visible placement or the effective resize mode changes: no mode and the item's
 * default mode render the same images.
 */
const changesImages = ({ product, item, change }: ProductChange): boolean =>
  change.placement !== undefined ||
  (change.prints !== undefined && !isDeepStrictEqual(enabledPrints(change.prints), enabledPrints(product.prints))) ||
  (change.resizeMode !== undefined &&
    effectiveResizeMode(item, change.resizeMode) !== effectiveResizeMode(item, product.resizeMode));

/**
 * Returns the incremented image revision if the images change. Image URLs contain the revision,
 * because browsers cache images by URL (docs/adr/0007).
 */
const revision = (it: ProductChange): { readonly imageRevision?: number } =>
  changesImages(it) ? { imageRevision: it.product.imageRevision + 1 } : {};
