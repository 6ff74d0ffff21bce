import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** All favorites of one user on one product. */
@Entity('favorites')
export class FavoriteEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'product_id' })
  productId!: number;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('bigint')
  count!: number;

  /** Value of the user's latest request. */
  @Column('boolean')
  anonymous!: boolean;

  @Column('double precision')
  x!: number;

  @Column('double precision')
  y!: number;

  @Column('integer')
  rotation!: number;

  /**
   * Revision in the last event of the favorite: 1 for its creation; 0 for an older favorite without
   * a change since.
   */
  @Column('integer', { default: 0 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
