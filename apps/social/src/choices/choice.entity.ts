import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A user's list of products. */
@Entity('choices')
export class ChoiceEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'user_id' })
  userId!: number;

  @Column('text')
  title!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'banner_url', nullable: true })
  bannerUrl!: string | null;

  @Column('boolean')
  secret!: boolean;

  /**
   * Revision in the last event of the choice: 1 for its creation; 0 for an older choice without a
   * change since.
   */
  @Column('integer', { default: 0 })
  revision!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
