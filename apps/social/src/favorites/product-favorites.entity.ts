import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sum of all favorites of a product; zero also where the product only is in choices. */
@Entity('product_favorites')
export class ProductFavoritesEntity {
  @PrimaryColumn('bigint', { name: 'product_id' })
  productId!: number;

  @Column('bigint', { name: 'total_count' })
  totalCount!: number;

  /** The product is gone, and nothing may be said of it any more. */
  @Column('boolean', { default: false })
  deleted!: boolean;
}
