import { Injectable } from '@nestjs/common';
import { type Language, type PayloadOf, type Services } from '#contracts';
import { IdempotencyKeys, type StoreResponse, type StoredResponse } from '#idempotency';
import { QueueClients, RawReply } from '#request-queue';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { validateNewProducts } from '../products/new-product.rules.js';
import { productDrafts } from '../products/product-draft.rules.js';
import type { MaterialAndProductRow } from '../products/caching/product-json.cache.js';
import { ProductQueries } from '../products/product.queries.js';
import { type MaterialDraft } from './material.rules.js';
import { MaterialRepository } from './material.repository.js';
import { letterColor, shirtVariant, titleOf, withTextPath } from './text-material.rules.js';
import { storeTextures, type WantedTexture } from './texture-intake.rules.js';

type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

/** Context of the reply to a creation. */
interface ReplyContext {
  readonly catalog: CatalogSnapshot;
  readonly language: Language;
  readonly nameLanguage?: Language | undefined;
}

/** Use cases of materials, for users and operators. */
@Injectable()
export class MaterialService {
  constructor(
    private readonly catalog: ItemCache,
    private readonly clients: QueueClients,
    private readonly materials: MaterialRepository,
    private readonly products: ProductQueries,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * Creates a material and its products: validates the products against the cached catalog, has
   * material-rendering store the textures, then inserts all rows with one statement. If a product
   * or a texture is rejected, nothing is stored. If a constraint rejects the insert,
   * material-rendering deletes the stored textures after 15 minutes.
   *
   * @returns a MaterialWriteResponse
   * @throws DomainError 422 with the offending paths; user.not-found for a deleted user; errors of
   *   the idempotency key and of material-rendering
   */
  create(request: Request<'materials.create'>): Promise<RawReply> {
    const { viewerId, idempotency, title, description, price, language, nameLanguage } = request;
    const create = async (storeReply?: StoreResponse): Promise<StoredResponse> => {
      const catalog = await this.catalog.current();
      const wanted = validateNewProducts(catalog, request.products);
      const images: WantedTexture[] = [
        { path: 'body.texture', source: request.texture },
        ...wanted.flatMap(({ prints }) => prints),
      ];
      const [texture, ...textures] = await storeTextures(images, (sources) =>
        this.clients.of('material-rendering').call('textures.store', { userId: viewerId, sources }),
      );
      const products = productDrafts(wanted, texture!, textures);
      const draft = { userId: viewerId, title, description, price, texture: texture!, products };
      return this.insert(draft, { catalog, language, nameLanguage }, storeReply);
    };
    return idempotency ? this.keys.once({ viewerId, operation: 'materials.create', idempotency }, create) : create();
  }

  /**
   * Creates a material from a text, with a T-shirt.
   *
   * @returns a MaterialWriteResponse
   * @throws DomainError 422 for a variant that is disabled or not of the standard T-shirt, and for
   *   a text that cannot be printed; otherwise the same as `create`
   */
  createFromText(request: Request<'materials.text'>): Promise<RawReply> {
    const { viewerId, idempotency, text, itemVariantId, description, price, published } = request;
    const create = async (storeReply?: StoreResponse): Promise<StoredResponse> => {
      const catalog = await this.catalog.current();
      const variant = shirtVariant(catalog, itemVariantId);
      const title = request.title ?? titleOf(text);
      const texture = await this.clients
        .of('material-rendering')
        .call('textures.render-text', { userId: viewerId, text, rgb: letterColor(variant) })
        .catch((error: unknown) => {
          throw withTextPath(error);
        });
      const shirt = {
        itemId: variant.itemId,
        exemplaryVariantId: variant.id,
        resizeMode: null,
        placement: null,
        prints: [],
      };
      const products = [{ ...shirt, published }];
      const draft = { userId: viewerId, title, description, price, texture, products };
      return this.insert(draft, { ...request, catalog }, storeReply);
    };
    return idempotency ? this.keys.once({ viewerId, operation: 'materials.text', idempotency }, create) : create();
  }

  /**
   * Updates a material and its products, and creates missing products. Validates the products
   * against the cached catalog under the material's lock, because other requests may change the
   * products until the lock is acquired.
   *
   * @returns a MaterialWriteResponse as JSON, with all products
   * @throws DomainError material.not-found, material.not-owned, 422 with the offending paths
   */
  async update(request: Request<'materials.update'>): Promise<Buffer> {
    const { viewerId, materialId, language, nameLanguage, ...wanted } = request;
    const catalog = await this.catalog.current();
    await this.materials.update(materialId, (material) => material.change(viewerId, wanted, catalog));
    return this.products.withWarnings({ viewerId, materialId, language, nameLanguage });
  }

  /**
   * Deletes a material and its products.
   *
   * @throws DomainError material.not-found, material.not-owned
   */
  delete(viewerId: number, materialId: number): Promise<void> {
    return this.materials.update(materialId, (material) => material.delete(viewerId));
  }

  /**
   * Hides a material that violates the rules, and its products, from all users but the owner.
   *
   * @throws DomainError material.not-found
   */
  violate(materialId: number, reason: string): Promise<void> {
    return this.materials.update(materialId, (material) => material.violate(reason));
  }

  /**
   * Clears a violation.
   *
   * @throws DomainError material.not-found
   */
  clear(materialId: number, reason: string): Promise<void> {
    return this.materials.update(materialId, (material) => material.clear(reason));
  }

  private async insert(
    draft: MaterialDraft,
    { catalog, language, nameLanguage }: ReplyContext,
    storeReply: StoreResponse | undefined,
  ): Promise<StoredResponse> {
    const context = await this.products.contextOf(catalog, nameLanguage);
    const replyTo = (rows: readonly MaterialAndProductRow[]): RawReply =>
      RawReply.json(this.products.ofNewMaterial(rows, language, context));
    return this.materials.create(draft, replyTo, storeReply);
  }
}
