import { type EventPayload, filePathOf, type ResizeMode, type Texture } from '#contracts';
import { type ProductPrint } from '../products/product.js';
import { materialNotFound, materialNotOwned } from './material.errors.js';

/** What can be said about a material once it is written. */
export type MaterialEvent = {
  [Name in 'material.created' | 'material.deleted']: { readonly name: Name; readonly payload: EventPayload<Name> };
}['material.created' | 'material.deleted'];

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

export interface MaterialState {
  readonly id: number;
  readonly userId: number;
  readonly published: boolean;
  readonly violation: boolean;
  readonly uploadedAt: Date;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly textureFormat: string;
}

/** A stored material with its products: what is changed and deleted as one. */
export class Material {
  private readonly collected: MaterialEvent[] = [];
  private gone = false;

  constructor(
    private readonly state: MaterialState,
    private readonly productIds: readonly number[],
  ) {}

  get deleted(): boolean {
    return this.gone;
  }

  get events(): readonly MaterialEvent[] {
    return this.collected;
  }

  /**
   * Only the owner deletes.
   *
   * @throws DomainError material.not-found for a viewer who may not see it, material.not-owned for one who may
   */
  delete(viewerId: number): void {
    const { id: materialId, userId, published, violation, textureFormat: format } = this.state;
    if (userId !== viewerId) {
      throw published && !violation ? materialNotOwned(materialId) : materialNotFound(materialId);
    }
    this.gone = true;
    const filePath = filePathOf({ ...this.state, materialId, format });
    const payload = { materialId, userId, productIds: [...this.productIds], filePath };
    this.collected.push({ name: 'material.deleted', payload });
  }
}
