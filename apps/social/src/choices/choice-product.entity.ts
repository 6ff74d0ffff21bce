import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A product in one of its variants, as an entry of a choice. */
@Entity('choice_products')
export class ChoiceProductEntity {
  @PrimaryColumn('bigint', { name: 'choice_id' })
  choiceId!: number;

  @PrimaryColumn('bigint', { name: 'product_id' })
  productId!: number;

  @PrimaryColumn('bigint', { name: 'item_variant_id' })
  itemVariantId!: number;

  /** The lowest is shown first. */
  @Column('integer')
  position!: number;
}
