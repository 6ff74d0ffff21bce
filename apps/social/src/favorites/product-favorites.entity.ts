import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Sum of all favorites of a product. Zero for a product that is only in choices. */
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
