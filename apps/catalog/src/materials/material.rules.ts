import { type EventPayload, filePathOf, type ResizeMode, type Texture } from '#contracts';
import { difference } from '../products/difference.rules.js';
import { type CatalogSnapshot } from '../items/catalog.snapshot.js';
import {
  productChanges,
  type ProductChange,
  type ProductLooks,
  type ProductState,
  type WantedChange,
} from '../products/product-change.rules.js';
import { type ProductPrint, usualResizeMode } from '../products/product.rules.js';
import { materialNotFound, materialNotOwned } from './material.errors.js';

type EventOf<Name extends 'material.updated' | 'material.deleted'> = {
  readonly name: Name;
  readonly payload: EventPayload<Name>;
};

/** What can be said about a stored material. */
type MaterialEvent = EventOf<'material.updated'> | EventOf<'material.deleted'>;

/** A material to be written, with products that are checked and textures that are stored. */
export interface MaterialDraft {
  readonly userId: number;
  readonly title: string;
  readonly description: string | null;
  readonly price: number;
  readonly texture: Texture;
  readonly products: readonly ProductDraft[];
}

export interface ProductDraft {
  readonly itemId: number;
  readonly exemplaryVariantId: number;
  readonly published: boolean;
  readonly resizeMode: ResizeMode | null;
  readonly prints: readonly ProductPrint[];
}

/** What of a material may become another value. */
interface MaterialFields {
  readonly title: string;
  readonly description: string | null;
  readonly price: number;
  readonly published: boolean;
  readonly violation: boolean;
  /** Why an operator has set or lifted the violation; null when nobody has. */
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
}

/** What the owner wants to change: a key that is missing stays as it is. */
interface WantedMaterialChange {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly price?: number | undefined;
  readonly products?: readonly WantedChange[] | undefined;
}

type WrittenLooks = ProductLooks & Pick<ProductState, 'imageRevision'>;

/** What is to be written: only what became another value. */
export interface MaterialChanges {
  readonly fields: Partial<MaterialFields>;
  readonly products: readonly { readonly id: number; readonly change: Partial<WrittenLooks> }[];
  readonly made: readonly ProductDraft[];
}

/** A stored material with its products: what is changed and deleted as one. */
export class Material {
  private readonly collected: MaterialEvent[] = [];
  private gone = false;
  private written: MaterialChanges | undefined;

  constructor(
    private readonly state: MaterialState,
    private readonly products: readonly ProductState[],
  ) {}

  get deleted(): boolean {
    return this.gone;
  }

  /** Undefined when nothing became another value. */
  get changes(): MaterialChanges | undefined {
    return this.written;
  }

  get events(): readonly MaterialEvent[] {
    return this.collected;
  }

  /**
   * Changes what is sent: products of the material are changed, products of other items are made. Only the owner may.
   *
   * @throws DomainError as `delete`, then 422 with every path that breaks a rule of the catalogue
   */
  change(viewerId: number, wanted: WantedMaterialChange, catalog: CatalogSnapshot): void {
    this.checkOwner(viewerId);
    const { changed, made } = productChanges(catalog, this.products, wanted.products ?? []);
    const looks = new Map(changed.map(({ product, change }) => [product.id, change]));
    const published =
      this.products.some((it) => looks.get(it.id)?.published ?? it.published) ||
      made.some(({ product }) => product.published);
    const { title, description, price } = wanted;
    const fields = difference<MaterialFields>(this.state, { title, description, price, published });
    if (Object.keys(fields).length + changed.length + made.length === 0) return;
    this.write({
      fields,
      products: changed.map((it) => ({ id: it.product.id, change: { ...it.change, ...revision(it) } })),
      made: made.map(({ product }) => ({ ...product, prints: [] })),
    });
    const redrawn = changed.filter(isDrawnOtherwise).map(({ product }) => product.itemName);
    const unpublished = changed
      .filter(({ change }) => change.published === false)
      .map(({ product }) => product.itemName);
    this.sayUpdated(this.state.violation ? 'all' : [...redrawn, ...made.map(({ item }) => item.name)], unpublished);
  }

  /** By an operator: hides it and its products from everybody but the owner. One that is hidden already stays as it is. */
  violate(reason: string): void {
    if (this.state.violation) return;
    this.write({ fields: { violation: true, violationReason: reason } });
    this.sayUpdated('all');
  }

  /** By an operator: lifts a violation. One that has none stays as it is. */
  clear(reason: string): void {
    if (!this.state.violation) return;
    this.write({ fields: { violation: false, violationReason: reason } });
    this.sayUpdated(this.products.map(({ itemName }) => itemName));
  }

  /**
   * Only the owner deletes.
   *
   * @throws DomainError material.not-found for a viewer who may not see it, material.not-owned for one who may
   */
  delete(viewerId: number): void {
    this.checkOwner(viewerId);
    this.gone = true;
    const { id: materialId, userId, textureFormat: format } = this.state;
    const productIds = this.products.map(({ id }) => id);
    const prints = this.products.flatMap((product) => product.prints);
    const textures = [...new Set([this.state.textureHash, ...prints.map(({ textureHash }) => textureHash)])];
    const filePath = filePathOf({ ...this.state, materialId, format });
    const payload = { materialId, userId, productIds, filePath, textures };
    this.collected.push({ name: 'material.deleted', payload });
  }

  private checkOwner(viewerId: number): void {
    const { id, userId, published, violation } = this.state;
    if (userId !== viewerId) throw published && !violation ? materialNotOwned(id) : materialNotFound(id);
  }

  private write(changes: Partial<MaterialChanges>): void {
    this.written = { fields: {}, products: [], made: [], ...changes };
  }

  private sayUpdated(stale: EventPayload<'material.updated'>['stale'], unpublished: string[] = []): void {
    const { id: materialId, userId } = this.state;
    this.collected.push({ name: 'material.updated', payload: { materialId, userId, stale, unpublished } });
  }
}

/** A mode that was left out and the same one said draw the same. */
const isDrawnOtherwise = ({ product, item, change: { resizeMode } }: ProductChange): boolean =>
  resizeMode !== undefined && (resizeMode ?? usualResizeMode(item)) !== (product.resizeMode ?? usualResizeMode(item));

/** Images that become others get new addresses, because browsers keep what an address once gave them: docs/adr/0007. */
const revision = (it: ProductChange): { readonly imageRevision?: number } =>
  isDrawnOtherwise(it) ? { imageRevision: it.product.imageRevision + 1 } : {};
