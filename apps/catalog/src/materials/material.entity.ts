import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A material. `published` and `publishedAt` are derived from its products and written with them,
 * under the material's lock.
 */
@Entity('materials')
export class MaterialEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('text')
  title!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('integer')
  price!: number;

  @Column('boolean', { default: false })
  violation!: boolean;

  /** Reason of the operator who last set or cleared `violation`; null initially. */
  @Column('text', { name: 'violation_reason', nullable: true })
  violationReason!: string | null;

  @Column('boolean')
  published!: boolean;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt!: Date | null;

  @Column('text', { name: 'texture_hash' })
  textureHash!: string;

  @Column('text', { name: 'texture_format' })
  textureFormat!: string;

  @Column('integer', { name: 'original_width' })
  originalWidth!: number;

  @Column('integer', { name: 'original_height' })
  originalHeight!: number;

  @Column('text', { name: 'dominant_rgb', nullable: true })
  dominantRgb!: string | null;

  /** True if only the first frame of its image is printed. */
  @Column('boolean', { default: false })
  animated!: boolean;

  @Column('timestamptz', { name: 'uploaded_at', default: () => 'now()' })
  uploadedAt!: Date;

  /**
   * Revision in the last event of the material: 1 for its creation; 0 for an older material without
   * a change since.
   */
  @Column('integer', { default: 0 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
