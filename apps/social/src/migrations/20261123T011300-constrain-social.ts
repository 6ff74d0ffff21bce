import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxConstraints } from '#events';
import { idempotencyConstraints } from '#idempotency';
import { addConstraints, deletedUsersConstraintsV1, dropConstraints, type TableConstraints } from '#persistence';

// Largest integer that is exact in JavaScript
const countable = (column: string) => `check (${column} <= 9007199254740991)`;
// All favorites and entries must reference the row that a product's deletion locks and marks
const ofKnownProduct = 'foreign key (product_id) references product_favorites (product_id)';

const rules = {
  ...outboxConstraints,
  ...idempotencyConstraints,
  ...deletedUsersConstraintsV1,
  product_favorites: {
    product_favorites_product: 'check (product_id > 0)',
    product_favorites_total: countable('total_count'),
  },
  favorites: {
    favorites_user: 'check (user_id > 0)',
    favorites_count_bound: countable('count'),
    favorites_product_fk: ofKnownProduct,
  },
  choices: {
    choices_banner_address: "check (banner_url ~* '^https?://')",
  },
  choice_products: {
    choice_products_variant: 'check (item_variant_id > 0)',
    choice_products_product_fk: ofKnownProduct,
  },
} satisfies TableConstraints;

/**
 * Rules of the contracts as constraints of the tables of social and those of libraries. Runs
 * outside a transaction, because the tables are in use: see `addConstraints`.
 */
export class ConstrainSocial implements MigrationInterface {
  readonly name = 'ConstrainSocial1795396380000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return addConstraints(runner, rules);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropConstraints(runner, rules);
  }
}
