import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A sale. Exactly one of `itemId`, `userId`, `productId` and one of `percent`, `amount` is set. */
@Entity('sales')
export class SaleEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'item_id', nullable: true })
  itemId!: number | null;

  @Column('bigint', { name: 'user_id', nullable: true })
  userId!: number | null;

  @Column('bigint', { name: 'product_id', nullable: true })
  productId!: number | null;

  @Column('integer', { nullable: true })
  percent!: number | null;

  @Column('bigint', { nullable: true })
  amount!: number | null;

  @Column('timestamptz', { name: 'starts_at' })
  startsAt!: Date;

  /** Planned end; null if the sale has none. */
  @Column('timestamptz', { name: 'ends_at', nullable: true })
  endsAt!: Date | null;

  /** Time at which an operator ended the sale. */
  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
