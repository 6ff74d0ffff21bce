import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sum of all favorites of a product. */
@Entity('product_favorites')
export class ProductFavoritesEntity {
  @PrimaryColumn('bigint', { name: 'product_id' })
  productId!: number;

  @Column('bigint', { name: 'total_count' })
  totalCount!: number;
}
