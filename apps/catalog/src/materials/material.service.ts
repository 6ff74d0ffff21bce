import { Injectable } from '@nestjs/common';
import { type Language, type PayloadOf, type Services, type Texture } from '#contracts';
import { IdempotencyKeys, type Keep, type KeptReply } from '#idempotency';
import { QueueClients, RawReply } from '#request-queue';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { type NewProduct, newProducts } from '../products/new-product.rules.js';
import { ProductQueries } from '../products/product.queries.js';
import { type MaterialDraft, type ProductDraft } from './material.rules.js';
import { MaterialRepository } from './material.repository.js';
import { letterColor, ofText, shirtVariant, titleOf } from './text-material.rules.js';
import { takeTextures, type WantedTexture } from './texture-intake.rules.js';

type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

/** What a new material is answered with. */
interface ShownWith {
  readonly catalog: CatalogSnapshot;
  readonly language: Language;
}

/** What a user does with materials, and an operator. */
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
   * Makes a material and its products: checks the catalogue's rules in memory, has the images taken in, writes all in
   * one transaction. A rejection by the rules or of an image leaves nothing; after one by the tables, textures
   * are left, which the renderer deletes after 15 minutes.
   *
   * @returns a WrittenMaterialResponse
   * @throws DomainError 422 with the offending paths
   */
  create(request: Request<'materials.create'>): Promise<RawReply> {
    const { viewerId, idempotency, title, description, price, language } = request;
    return this.keys.once({ viewerId, operation: 'materials.create', idempotency }, async (keep) => {
      const catalog = await this.catalog.current();
      const wanted = newProducts(catalog, request.products);
      const images: WantedTexture[] = [
        { path: 'body.texture', source: request.texture },
        ...wanted.flatMap(({ prints }) => prints),
      ];
      const [texture, ...textures] = await takeTextures(images, (sources) =>
        this.clients.of('material-rendering').call('textures.take', { userId: viewerId, sources }),
      );
      const products = printed(wanted, textures);
      const draft = { userId: viewerId, title, description, price, texture: texture!, products };
      return this.write(draft, { catalog, language }, keep);
    });
  }

  /**
   * Makes a material of a text, and a T-shirt of it that is not published.
   *
   * @returns a WrittenMaterialResponse
   * @throws DomainError 422 for another variant than one of the standard T-shirt, and for a text that cannot be printed
   */
  text(request: Request<'materials.text'>): Promise<RawReply> {
    const { viewerId, idempotency, text, itemVariantId, description, price, language } = request;
    return this.keys.once({ viewerId, operation: 'materials.text', idempotency }, async (keep) => {
      const catalog = await this.catalog.current();
      const variant = shirtVariant(catalog, itemVariantId);
      const title = request.title ?? titleOf(text);
      const texture = await this.clients
        .of('material-rendering')
        .call('textures.write', { userId: viewerId, text, rgb: letterColor(variant) })
        .catch((error: unknown) => {
          throw ofText(error);
        });
      const shirt = { itemId: variant.itemId, exemplaryVariantId: variant.id, resizeMode: null, prints: [] };
      const products = [{ ...shirt, published: false }];
      const draft = { userId: viewerId, title, description, price, texture, products };
      return this.write(draft, { catalog, language }, keep);
    });
  }

  /**
   * Changes what is sent of a material and its products, and makes the products that it has not. Which ones it has is
   * known under its lock only, so that the rules of the catalogue are checked there, in memory.
   *
   * @returns a WrittenMaterialResponse as JSON, with all products
   * @throws DomainError material.not-found, material.not-owned, 422 with the offending paths
   */
  async update({ viewerId, materialId, language, ...wanted }: Request<'materials.update'>): Promise<Buffer> {
    const catalog = await this.catalog.current();
    await this.materials.update(materialId, (material) => material.change(viewerId, wanted, catalog));
    return this.products.ofChangedMaterial({ viewerId, materialId, language });
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
   * Hides a material that violates the rules, and its products, from everybody but the owner.
   *
   * @throws DomainError material.not-found
   */
  violate(materialId: number, reason: string): Promise<void> {
    return this.materials.update(materialId, (material) => material.violate(reason));
  }

  /**
   * Lifts a violation.
   *
   * @throws DomainError material.not-found
   */
  clear(materialId: number, reason: string): Promise<void> {
    return this.materials.update(materialId, (material) => material.clear(reason));
  }

  private async write(draft: MaterialDraft, { catalog, language }: ShownWith, keep: Keep): Promise<KeptReply> {
    const context = await this.products.contextOf(catalog);
    return this.materials.create(draft, async (tx, materialId) => {
      const asked = { viewerId: draft.userId, materialId, language };
      return keep(tx, RawReply.json(await this.products.ofNewMaterial(tx, asked, context)));
    });
  }
}

/** Products with their prints' textures, which come in the order of the prints. */
function printed(wanted: readonly NewProduct[], textures: readonly Texture[]): ProductDraft[] {
  const next = textures.values();
  return wanted.map(({ prints, ...product }) => ({
    ...product,
    prints: prints.map(({ place, enabled }) => {
      const { hash: textureHash, width, height, dominantRgb } = next.next().value!;
      return { place, textureHash, enabled, artwork: { width, height, dominantRgb } };
    }),
  }));
}
