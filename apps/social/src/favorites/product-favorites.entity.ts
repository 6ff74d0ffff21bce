import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Counter of a product: sum of all its favorites, zero for a product that is only in choices or
 * deleted. Locked by the deletion of the product, by every change of its favorites, and by writes
 * that add it to a choice.
 */
@Entity('product_favorites')
export class ProductFavoritesEntity {
  @PrimaryColumn('bigint', { name: 'product_id' })
  productId!: number;

  @Column('bigint', { name: 'total_count' })
  totalCount!: number;

  /** True for a deleted product, which accepts no favorites and no entries in choices. */
  @Column('boolean', { default: false })
  deleted!: boolean;
}
