import { Injectable } from '@nestjs/common';
import { type PayloadOf, type Services, type Texture } from '#contracts';
import { QueueClients } from '#request-queue';
import { ItemCatalog } from '../items/item-catalog.js';
import { type NewProduct, newProducts } from '../products/new-product.js';
import { ProductQueries } from '../products/product.queries.js';
import { type ProductDraft } from './material.js';
import { MaterialRepository } from './material.repository.js';
import { takeTextures, type WantedTexture } from './texture-intake.js';

/** What a user does with materials. */
@Injectable()
export class MaterialService {
  constructor(
    private readonly catalog: ItemCatalog,
    private readonly clients: QueueClients,
    private readonly materials: MaterialRepository,
    private readonly products: ProductQueries,
  ) {}

  /**
   * Makes a material and its products: checks the catalogue's rules in memory, has the pictures taken in, writes all in
   * one transaction. A refusal by the rules or of a picture leaves nothing; after one by the tables, pictures may be left
   * that are stored under their content's hash.
   *
   * @returns a MaterialResponse as JSON
   * @throws DomainError 422 with the offending paths
   */
  async create(request: PayloadOf<Services['catalog'], 'materials.create'>): Promise<string> {
    const { viewerId: userId, title, description, price } = request;
    const wanted = newProducts(await this.catalog.current(), request.products);
    const pictures: WantedTexture[] = [
      { path: 'body.texture', source: request.texture },
      ...wanted.flatMap(({ prints }) => prints),
    ];
    const [texture, ...textures] = await takeTextures(pictures, (sources) =>
      this.clients['material-rendering'].call('textures.take', { sources }),
    );
    const products = printed(wanted, textures);
    const materialId = await this.materials.create({
      userId,
      title,
      description,
      price,
      texture: texture!,
      products,
    });
    return this.products.ofMaterial(materialId);
  }

  /**
   * Deletes a material and its products.
   *
   * @throws DomainError material.not-found, material.not-owned
   */
  delete(viewerId: number, materialId: number): Promise<void> {
    return this.materials.update(materialId, (material) => material.delete(viewerId));
  }
}

/** Products with their prints' textures, which come in the order of the prints. */
function printed(wanted: readonly NewProduct[], textures: readonly Texture[]): ProductDraft[] {
  const next = textures.values();
  return wanted.map(({ prints, ...product }) => ({
    ...product,
    prints: prints.map(({ place, enabled }) => ({ place, enabled, textureHash: next.next().value!.hash })),
  }));
}
