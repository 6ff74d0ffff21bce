import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';
import { productNotFound, productNotOwned } from '../products/product.errors.js';
import { visibleTo } from '../products/visibility.queries.js';
import { type PrintedProduct } from './print-file.rules.js';

/** Reads products with everything that their print files are made from. */
@Injectable()
export class PrintedProductQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns an own product.
   *
   * @throws DomainError product.not-found, product.not-owned for a visible product of another user
   */
  async ofOwner(viewerId: number, productId: number): Promise<PrintedProduct> {
    const product = await this.find(productId, visibleTo(2), [viewerId]);
    if (product.userId !== viewerId) throw productNotOwned(productId);
    return product;
  }

  /** Returns a product of any user, published or not. @throws DomainError product.not-found */
  async ofAnyOwner(productId: number): Promise<PrintedProduct> {
    return this.find(productId, 'true', []);
  }

  private async find(productId: number, condition: string, parameters: readonly unknown[]): Promise<PrintedProduct> {
    const [product] = await this.database.read<PrintedProduct>(
      `select p.id, p.user_id as "userId", p.material_id as "materialId", m.title as "materialTitle",
         m.texture_hash as "textureHash", p.item_id as "itemId", p.exemplary_variant_id as "variantId",
         p.resize_mode as "resizeMode", p.placement, p.prints, p.updated_at as "updatedAt",
         json_build_object('width', m.original_width, 'height', m.original_height, 'dominantRgb', m.dominant_rgb,
           'animated', m.animated) as artwork
       from products p join materials m on m.id = p.material_id
       where p.id = $1 and ${condition}`,
      [productId, ...parameters],
    );
    if (!product) throw productNotFound(productId);
    return product;
  }
}
