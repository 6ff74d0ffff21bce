import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('banners')
export class BannerEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text', { name: 'display_size' })
  displaySize!: string;

  @Column('text', { name: 'image_url' })
  imageUrl!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
