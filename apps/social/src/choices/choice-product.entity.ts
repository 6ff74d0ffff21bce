import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Entry of a choice: a product in one of its variants. */
@Entity('choice_products')
export class ChoiceProductEntity {
  @PrimaryColumn('bigint', { name: 'choice_id' })
  choiceId!: number;

  @PrimaryColumn('bigint', { name: 'product_id' })
  productId!: number;

  @PrimaryColumn('bigint', { name: 'item_variant_id' })
  itemVariantId!: number;

  /** Sort key within the choice, ascending. */
  @Column('integer')
  position!: number;
}
