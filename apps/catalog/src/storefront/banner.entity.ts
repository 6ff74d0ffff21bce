import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('banners')
export class BannerEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text', { name: 'display_size' })
  displaySize!: string;

  @Column('text', { name: 'image_url' })
  imageUrl!: string;

  /** Words of the image, as alternative text and name of the link. */
  @Column('text', { name: 'alt_text', nullable: true })
  altText!: string | null;

  @Column('text', { name: 'link_url', nullable: true })
  linkUrl!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
