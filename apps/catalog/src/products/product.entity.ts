import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { type ResizeMode, type StoredPlacement } from '#contracts';
import { type ProductPrint } from './product.rules.js';

/**
 * A product. `userId` and `violation` are copies of the material's values: a foreign key over
 * `materialId`, `userId` and `violation` ensures that they are equal. `searchText` and
 * `searchTokens` are computed from the material's title by `searchColumns` of
 * libs/kernel/src/search-terms.ts, and saved again when the title changes.
 */
@Entity('products')
export class ProductEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'material_id' })
  materialId!: number;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('boolean', { default: false })
  violation!: boolean;

  @Column('bigint', { name: 'item_id' })
  itemId!: number;

  @Column('bigint', { name: 'exemplary_variant_id' })
  exemplaryVariantId!: number;

  @Column('boolean')
  published!: boolean;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt!: Date | null;

  @Column('text', { name: 'resize_mode', nullable: true })
  resizeMode!: ResizeMode | null;

  /** Position of the material's image; null = as fitted. */
  @Column('jsonb', { nullable: true })
  placement!: StoredPlacement | null;

  @Column('jsonb')
  prints!: ProductPrint[];

  @Column('integer', { name: 'image_revision', default: 0 })
  imageRevision!: number;

  @Column('text', { name: 'search_text', select: false })
  searchText!: string;

  @Column('text', { name: 'search_tokens', array: true, select: false })
  searchTokens!: string[];

  /** Number of changes of the visibility to all users, each with an event. */
  @Column('integer', { default: 0 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
